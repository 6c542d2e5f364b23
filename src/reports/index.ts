/** The weekly report: which week, what happened in it, once for each team. */
export { createMailer } from './mailer.ts';
export { createReports } from './reports.ts';
