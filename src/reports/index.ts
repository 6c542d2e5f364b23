/** The weekly report: which week, what happened in it, once for each team. */
export { createMailer } from './mailer.ts';
export { createReports, type Reports } from './reports.ts';
