import type { Routes } from '../http/index.ts';
import type { Jobs } from '../jobs/index.ts';
import type { Log } from '../platform/index.ts';
import type { AuditActor, Team } from '../teams/index.ts';
import { getLastRunAt } from './figures/report-store.ts';
import { unsubscribeRoutes } from './ledger/unsubscribe-routes.ts';
import { cronRoutes } from './making/cron-routes.ts';
import { handleMakeReport, makeReportJob } from './making/make-report.job.ts';
import type { MakeReportDependencies } from './making/make-report.ts';
import { createMakeReportOnce } from './making/make-report-once.ts';
import { handleRunReports, RUN_EVERY_MS, runReportsJob } from './making/run-reports.job.ts';
import { runReports } from './making/run-reports.ts';
import { listWeeks } from './reading/list-weeks.ts';
import { reportRoutes } from './reading/report-routes.ts';
import { showDue } from './reading/show-due.ts';
import { showDeliveries, showReport } from './reading/show-report.ts';
import { listRecipients } from './sending/list-recipients.ts';
import { removeSlackAddress, setSlackAddress } from './sending/put-slack-address.ts';
import { sendReport } from './sending/send-report.job.ts';
import { handleSendReport, type SendDependencies } from './sending/send-report.ts';
import { type SlackRouteDependencies, slackRoutes } from './sending/slack-routes.ts';
import { sendSlackTest } from './slack/send-slack-test.ts';
import { showSlackAddress } from './slack/show-slack-address.ts';

export type ReportsDependencies = Omit<
  MakeReportDependencies & SendDependencies & SlackRouteDependencies,
  'sendsMail'
> & { jobs: Jobs; log: Log };

/** Puts the room together: binds its jobs and returns its routes. */
export const createReports = (dependencies: ReportsDependencies) => {
  const { jobs, database, mailer } = dependencies;
  const making = { ...dependencies, sendsMail: mailer !== null };
  const basis = { ...making, makeReportOnce: createMakeReportOnce(making) };
  jobs.handle(makeReportJob, handleMakeReport(basis));
  jobs.handle(runReportsJob, handleRunReports(basis));
  jobs.handle(sendReport, handleSendReport(dependencies));
  jobs.every(runReportsJob, { everyMs: RUN_EVERY_MS });
  const routes: readonly Routes[] = [
    cronRoutes(basis),
    reportRoutes(dependencies),
    slackRoutes(basis),
    unsubscribeRoutes(dependencies),
  ];
  return {
    routes,
    /** For the operator: when reports were last run, by anyone. */
    getLastRunAt: () => getLastRunAt(database),
    /** Resolves to what's wrong with the mail server, or null. The check itself is null if none is configured. */
    checkMail: mailer && (async () => (await mailer.check())?.problem ?? null),
    /** What the commands need on top of what every room has. */
    forCommands: basis,
    /** For the pages. */
    forPages: {
      listWeeks: (teamId: string, page: { before: string | undefined; limit: number }) =>
        listWeeks(basis, teamId, page),
      showDue: (team: Team) => showDue(basis, team),
      listRecipients: (team: Team) => listRecipients(basis, team),
      showReport: (team: Team, week: string) => showReport(basis, team, week),
      showDeliveries: (teamId: string, week: string) => showDeliveries(basis, teamId, week),
      slack: {
        show: (teamId: string) => showSlackAddress(basis, teamId),
        set: (caller: { teamId: string; userId: string }, url: string, actor: AuditActor) =>
          setSlackAddress(basis, caller, url, actor),
        remove: (teamId: string, actor: AuditActor) => removeSlackAddress(basis, teamId, actor),
        sendTest: (teamId: string, actor: AuditActor) => sendSlackTest(basis, teamId, actor),
      },
      runReports: (teamId: string) => runReports(basis, { week: null, team: teamId, dryRun: false, askedBy: 'person' }),
    },
  };
};

export type Reports = ReturnType<typeof createReports>;
