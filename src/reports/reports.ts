import type { Routes } from '../http/index.ts';
import type { Jobs } from '../jobs/index.ts';
import type { Log } from '../platform/index.ts';
import { cronRoutes } from './cron-routes.ts';
import { handleMakeReport, makeReportJob } from './make-report.job.ts';
import type { MakeReportDependencies } from './make-report.ts';
import { reportRoutes } from './report-routes.ts';
import { getLastRunAt } from './report-store.ts';
import { handleRunReports, RUN_EVERY_MS, runReportsJob } from './run-reports.job.ts';
import { handleSendReport, type SendDependencies, sendReport } from './send-report.job.ts';
import { unsubscribeRoutes } from './unsubscribe-routes.ts';

export type ReportsDependencies = Omit<MakeReportDependencies, 'sendsMail'> &
  SendDependencies & { jobs: Jobs; log: Log };

/** Puts the room together: binds its jobs, and answers its routes. */
export const createReports = (dependencies: ReportsDependencies) => {
  const { jobs, database, mailer } = dependencies;
  const basis = { ...dependencies, sendsMail: mailer !== null };
  jobs.handle(makeReportJob, handleMakeReport(basis));
  jobs.handle(runReportsJob, handleRunReports(basis));
  jobs.handle(sendReport, handleSendReport(dependencies));
  jobs.every(runReportsJob, { everyMs: RUN_EVERY_MS });
  const routes: readonly Routes[] = [cronRoutes(basis), reportRoutes(dependencies), unsubscribeRoutes(dependencies)];
  return {
    routes,
    /** For the operator: when the reports were last looked after, by whomever. */
    getLastRunAt: () => getLastRunAt(database),
  };
};

export type Reports = ReturnType<typeof createReports>;
