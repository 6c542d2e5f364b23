import { withContext } from '../platform/index.ts';
import { getFirstTeamId } from '../teams/index.ts';
import { createAlerting } from './alerts/alerting.ts';
import { countAlerts, dismissAlert, listAlerts, setAlertSettings, showAlertSettings } from './alerts/alerts.ts';
import { openBackupAlert, resolveBackupAlert } from './alerts/backup-alerts.ts';
import type { FindNotWaiting, SlackChannel } from './alerts/context.ts';
import { openEndpointAlert } from './alerts/endpoint-alerts.ts';
import { handlePruneAlerts, PRUNE_ALERTS_EVERY_MS, pruneAlertsJob } from './alerts/prune-alerts.job.ts';
import { alertJobs } from './alerts/send-alert.job.ts';
import { sendAlert } from './alerts/send-alert.ts';
import { resendEvent, showEvent } from './attempts/event-details.ts';
import { listAttempts } from './attempts/list-attempts.ts';
import { sendTest } from './attempts/send-test.ts';
import type { EventsContext } from './context.ts';
import { endEndpointsOfTeam } from './endpoints/endpoint-store.ts';
import {
  changeEndpoint,
  createEndpoint,
  removeEndpoint,
  replayEvents,
  rotateSecret,
  showEndpoint,
  showEndpoints,
} from './endpoints/endpoints.ts';
import { eraseEventsOfTeam } from './erase-team.ts';
import { findLogEnd, followLog } from './log/follow-log.ts';
import { listAbout } from './log/list-about.ts';
import { handlePruneEvents, PRUNE_EVERY_MS, pruneEventsJob } from './log/prune-events.job.ts';
import { createRecorder } from './log/record-events.ts';
import { createSending } from './sending/sending.ts';

/** Binds the room's jobs, and returns what its routes, its commands and the pages are made of. */
export const createEvents = ({
  slack,
  findNotWaiting,
  ...given
}: Omit<EventsContext, 'onEndpointsChanged'> & { slack: SlackChannel; findNotWaiting: FindNotWaiting }) => {
  const { jobs, database, clock } = given;
  const context: EventsContext = { ...given, onEndpointsChanged: (ids) => sending.refresh(ids) };
  const recorder = createRecorder({ ...context, onRecorded: () => sending.wake() });
  const sending = createSending({
    ...context,
    onDeactivated: (tx, endpoint, reason) => openEndpointAlert(context, tx, endpoint, reason),
  });
  const alertsContext = { ...context, slack, findNotWaiting };
  const alerting = createAlerting(alertsContext);
  const testing = { ...context, ...recorder };
  jobs.prune(pruneEventsJob, { everyMs: PRUNE_EVERY_MS }, () => handlePruneEvents(context));
  jobs.prune(pruneAlertsJob, { everyMs: PRUNE_ALERTS_EVERY_MS }, () => handlePruneAlerts(context));
  alertJobs.handle(jobs, (attempt) => sendAlert(alertsContext, attempt));
  return {
    /** For other rooms: call it in the transaction of what happened. */
    record: recorder.record,
    ...withContext(context, { findLogEnd, followLog, listAbout, showEvent, resendEvent, prune: handlePruneEvents }),
    endpoints: {
      ...withContext(context, {
        list: showEndpoints,
        show: showEndpoint,
        create: createEndpoint,
        change: changeEndpoint,
        remove: removeEndpoint,
        rotate: rotateSecret,
        replay: replayEvents,
        listAttempts,
      }),
      ...withContext(testing, { test: sendTest }),
    },
    sending,
    alerts: {
      ...alerting,
      ...withContext(context, {
        list: listAlerts,
        count: countAlerts,
        dismiss: dismissAlert,
        showSettings: showAlertSettings,
        setSettings: setAlertSettings,
        prune: handlePruneAlerts,
      }),
      ...withContext(alertsContext, { send: sendAlert }),
      backup: withContext(context, { open: openBackupAlert, resolve: resolveBackupAlert }),
    },
    eraser: {
      ...withContext(context, { erase: eraseEventsOfTeam }),
      end: (tx: Parameters<typeof endEndpointsOfTeam>[0], teamId: string) =>
        endEndpointsOfTeam(tx, teamId, clock.now()),
      gone: recorder.recordErasure,
    },
    now: clock.now,
    /** Whose endpoints the operator's are. */
    async getFirstTeamId(): Promise<string> {
      const id = await getFirstTeamId(database);
      if (!id) throw new Error('There is always a first team.');
      return id;
    },
  };
};

export type Events = ReturnType<typeof createEvents>;
