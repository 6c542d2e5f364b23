/** The weekly report: which week, what happened in it, once for each team. */
export { createReports } from './reports.ts';
