/** The weekly report: which week, what happened in it, once for each team. */
export { describeChange, formatCount, formatSeconds } from './figures/compare.ts';
export type { DeliveryState } from './ledger/report-delivery.ts';
export type { ListedWeek } from './reading/list-weeks.ts';
export { reportCommands } from './reading/report-commands.ts';
export type { ShownDelivery, ShownReport } from './reading/show-report.ts';
export {
  busyRows,
  describeHeat,
  formatCell,
  HEAT_CHART_SIZE,
  NO_CALLS,
  renderHeatChart,
  SHORT_DAYS,
} from './rendering/heat-chart.ts';
export { renderMail } from './rendering/mail.ts';
export { describeOutcomes, measureOutcomeChart, renderOutcomeChart } from './rendering/outcome-chart.ts';
export { titleOf } from './rendering/report-title.ts';
export type { Row } from './rendering/row.ts';
export { type Section, type SectionId, sectionsOf } from './rendering/sections.ts';
export { createReports, type Reports } from './reports.ts';
export type { Recipients } from './sending/list-recipients.ts';
export type { ShownSlackAddress } from './slack/show-slack-address.ts';
export type { ReportsDue } from './week/due-weeks.ts';
export { callsBehind } from './week/evidence.ts';
export { startOfDay, weekAt } from './week/week.ts';
