import { withContext } from '../platform/index.ts';
import { getFirstTeamId } from '../teams/index.ts';
import {
  countAlerts,
  dismissAlert,
  listOpen,
  pruneAlerts,
  setAlertSettings,
  showAlertSettings,
} from './alerts/alerts.ts';
import { listTeamsToTell, postponeTeam, readNotice, takeNotice } from './alerts/alerts-to-tell.ts';
import { openBackupAlert, resolveBackupAlert } from './alerts/backup-alerts.ts';
import { openEndpointAlert, resolveEndpointAlerts } from './alerts/endpoint-alerts.ts';
import { releaseHeldAlerts } from './alerts/held-alerts.ts';
import { openAlertData } from './alerts/open-alert-data.ts';
import { openAlerts } from './alerts/open-alerts.ts';
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
import { followNews } from './log/follow-news.ts';
import { countRecent, listAbout, listConnectionChanges, listReceived } from './log/list-about.ts';
import { showPayload } from './log/payloads/show-payload.ts';
import { handlePruneEvents, PRUNE_EVERY_MS, pruneEventsJob } from './log/prune-events.job.ts';
import { createRecorder } from './log/record-events.ts';
import { createSending } from './sending/sending.ts';

/** Registers the jobs for events, and returns the use cases for routes, commands, and pages. */
export const createEvents = (given: Omit<EventsContext, 'onEndpointsChanged'>) => {
  const { jobs, database, clock } = given;
  const context: EventsContext = { ...given, onEndpointsChanged: (ids) => sending.refresh(ids) };
  const recorder = createRecorder({ ...context, onRecorded: () => sending.wake() });
  const sending = createSending({
    ...context,
    onDeactivated: (tx, endpoint, reason) => openEndpointAlert(context, tx, endpoint, reason),
  });
  const testing = { ...context, ...recorder };
  jobs.prune(pruneEventsJob, { everyMs: PRUNE_EVERY_MS }, () => handlePruneEvents(context));
  return {
    /** Called in the transaction of the change that the event is about. */
    record: recorder.record,
    ...withContext(context, {
      findLogEnd,
      followLog,
      followNews,
      showPayload,
      showEvent,
      resendEvent,
      prune: handlePruneEvents,
    }),
    ...withContext(context, { listAbout, listConnectionChanges, listReceived, countRecent }),
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
      ...withContext(context, {
        listOpen,
        openData: openAlertData,
        count: countAlerts,
        dismiss: dismissAlert,
        showSettings: showAlertSettings,
        setSettings: setAlertSettings,
        prune: pruneAlerts,
      }),
      /** For `src/notices`, which sends alerts to people. */
      ...withContext(context, {
        readLog: openAlerts,
        resolveEndpoints: resolveEndpointAlerts,
        releaseHeld: releaseHeldAlerts,
        listTeamsToTell,
        postponeTeam,
        takeNotice,
        readNotice,
      }),
      backup: withContext(context, { open: openBackupAlert, resolve: resolveBackupAlert }),
    },
    eraser: {
      ...withContext(context, { erase: eraseEventsOfTeam }),
      end: (tx: Parameters<typeof endEndpointsOfTeam>[0], teamId: string) =>
        endEndpointsOfTeam(tx, teamId, clock.now()),
      gone: recorder.recordErasure,
    },
    now: clock.now,
    /** The team that owns the operator's endpoints. */
    async getFirstTeamId(): Promise<string> {
      const id = await getFirstTeamId(database);
      if (!id) throw new Error('There is always a first team.');
      return id;
    },
  };
};

export type Events = ReturnType<typeof createEvents>;
