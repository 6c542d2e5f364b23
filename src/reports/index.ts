/** The weekly report: which week, what happened in it, once for each team. */
export { describeChange, formatCount, formatSeconds } from './compare.ts';
export { findReportsDue, type ReportsDue } from './due-weeks.ts';
export { callsBehind } from './evidence.ts';
export {
  busyRows,
  describeHeat,
  formatCell,
  HEAT_CHART_SIZE,
  NO_CALLS,
  renderHeatChart,
  SHORT_DAYS,
} from './heat-chart.ts';
export type { Recipients } from './list-recipients.ts';
export type { ListedWeek } from './list-weeks.ts';
export { renderMail } from './mail.ts';
export { describeOutcomes, measureOutcomeChart, renderOutcomeChart } from './outcome-chart.ts';
export { reportCommands } from './report-commands.ts';
export type { DeliveryState } from './report-delivery.ts';
export { titleOf } from './report-title.ts';
export { createReports, type Reports } from './reports.ts';
export type { Row } from './row.ts';
export { type Section, type SectionId, sectionsOf } from './sections.ts';
export type { ShownDelivery, ShownReport } from './show-report.ts';
export type { ShownSlackAddress } from './show-slack-address.ts';
export { startOfDay, weekAt } from './week.ts';
