/** The weekly report: which week it covers, what happened in it, and how each team gets it once. */
export type { ListedWeek } from './reading/list-reports.ts';
export type { RecentWeeks } from './reading/show-recent-weeks.ts';
export type { ShownDispatch, ShownReport } from './reading/show-report.ts';
export { viewReportDetails } from './reading/view-report-details.ts';
export { formatCount, formatSeconds } from './rendering/describe-change.ts';
export { headlinesOf } from './rendering/headlines.ts';
export {
  busyRows,
  describeHeat,
  formatCell,
  measureHeatChart,
  NO_CALLS,
  renderHeatChart,
  SHORT_DAYS,
} from './rendering/heat-chart.ts';
export { describeOutcomes, measureOutcomeChart, renderOutcomeChart } from './rendering/outcome-chart.ts';
export { remarksOf } from './rendering/remarks.ts';
export { renderMail } from './rendering/render-mail.ts';
export { daysOfWeek, titleOf } from './rendering/report-title.ts';
export { type Row, splitRows } from './rendering/row.ts';
export { type Section, type SectionId, sectionsOf } from './rendering/sections.ts';
export { unansweredOf } from './rendering/unanswered.ts';
export { reportCommands } from './report-commands.ts';
export { ListedReport, ReportDetails, reportRoutes } from './report-routes.ts';
export { createReports, type Reports } from './reports.ts';
export { SEALED_IN_REPORTS } from './sealed-columns.ts';
export type { Recipients } from './sending/list-recipients.ts';
export type { ShownSlackAddress } from './sending/slack-settings.ts';
export { dueAt, type ReportsDue, whyMissing } from './week/due-weeks.ts';
export { askOffset, instantsOf } from './week/wall-clock.ts';
export { daysOf, spanOf, startOfDay, weekAt } from './week/week.ts';
