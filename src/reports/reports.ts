import { withContext } from '../platform/index.ts';
import type { ReportsContext } from './context.ts';
import { eraseReportsOfTeam } from './erase-team.ts';
import { countWeekAnew, createCountWeekNow } from './figures/count-week-now.ts';
import { getLastRunAt, getNewestWeek } from './figures/report-store.ts';
import { verifyReport } from './figures/verify-report.ts';
import { createWatchWeek } from './figures/watch-week.ts';
import { reportDispatches } from './ledger/report-dispatches.ts';
import { getTeamOfLink, subscribeAgain, unsubscribe } from './ledger/unsubscribe.ts';
import { listReports, listWeeks, showDue } from './reading/list-reports.ts';
import { previewReport } from './reading/preview-report.ts';
import { showRecentWeeks } from './reading/show-recent-weeks.ts';
import { getReportDetails, showDispatches, showReport } from './reading/show-report.ts';
import { handleMakeReport, makeReportJob } from './runs/make-report.job.ts';
import { handleQueueReports, queueReportsJob } from './runs/queue-reports.job.ts';
import { handleRunReports, RUN_INTERVAL, runReportsJob } from './runs/run-reports.job.ts';
import { runReports } from './runs/run-reports.ts';
import { listRecipients } from './sending/list-recipients.ts';
import { sendReport } from './sending/send-report.ts';
import { removeSlackAddress, sendSlackTest, setSlackAddress, showSlackAddress } from './sending/slack-settings.ts';

/** Registers the jobs for reports, and returns the use cases for routes, commands, and pages. */
export const createReports = (context: ReportsContext) => {
  const { jobs, database, mailer } = context;
  const countWeekNow = createCountWeekNow(context);
  const watchWeek = createWatchWeek(context, (...wish) => countWeekAnew(context, ...wish));
  const reading = { ...context, countWeekNow, watchWeek };
  jobs.handle(makeReportJob, (wanted) => handleMakeReport(context, wanted));
  jobs.handle(queueReportsJob, (rest) => handleQueueReports(context, rest));
  jobs.handle(runReportsJob, () => handleRunReports(context));
  reportDispatches.handle(jobs, (attempt) => sendReport(context, attempt));
  jobs.every(runReportsJob, RUN_INTERVAL);
  return {
    ...withContext(context, { runReports, verifyReport }),
    ...withContext(context, { listReports, listWeeks, showDue, listRecipients }),
    ...withContext(reading, { showReport, previewReport, getReportDetails, showDispatches, showRecentWeeks }),
    slack: withContext(context, {
      show: showSlackAddress,
      set: setSlackAddress,
      remove: removeSlackAddress,
      sendTest: sendSlackTest,
    }),
    subscription: withContext(context, { getTeam: getTeamOfLink, end: unsubscribe, resume: subscribeAgain }),
    eraser: withContext(context, { erase: eraseReportsOfTeam }),
    getNewestWeek: (teamId: string) => getNewestWeek(database, teamId),
    /** For the operator: when reports last ran, no matter who started the run. */
    getLastRunAt: () => getLastRunAt(database),
    /**
     * Resolves to what's wrong with the mail server, or null. The function itself is null if no mail server is
     * configured.
     */
    checkMail: mailer && (async () => (await mailer.check())?.problem ?? null),
  };
};

export type Reports = ReturnType<typeof createReports>;
