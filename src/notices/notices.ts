import { withContext } from '../platform/index.ts';
import { alertDispatches } from './alerts/alert-dispatches.ts';
import { createAlerting } from './alerts/alerting.ts';
import { listAlerts } from './alerts/list-alerts.ts';
import { handlePruneAlerts, PRUNE_ALERTS_EVERY_MS, pruneAlertsJob } from './alerts/prune-alerts.job.ts';
import { sendAlert } from './alerts/send-alert.ts';
import type { NoticesContext } from './context.ts';
import { eraseNoticesOfTeam } from './erase-team.ts';

/** Registers the jobs for notices, and returns the use cases for routes and pages. */
export const createNotices = (context: NoticesContext) => {
  const { jobs } = context;
  jobs.prune(pruneAlertsJob, { everyMs: PRUNE_ALERTS_EVERY_MS }, () => handlePruneAlerts(context));
  alertDispatches.handle(jobs, (attempt) => sendAlert(context, attempt));
  return {
    alerts: {
      ...createAlerting(context),
      ...withContext(context, { list: listAlerts, send: sendAlert, prune: handlePruneAlerts }),
    },
    eraser: withContext(context, { erase: eraseNoticesOfTeam }),
  };
};

export type Notices = ReturnType<typeof createNotices>;
