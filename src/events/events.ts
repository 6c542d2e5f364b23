import { withContext } from '../platform/index.ts';
import { getFirstTeamId } from '../teams/index.ts';
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
import { eraseTeam } from './erase-team.ts';
import type { EventsContext } from './log/context.ts';
import { findLogEnd, followLog } from './log/follow-log.ts';
import { handlePruneEvents, PRUNE_EVERY_MS, pruneEventsJob } from './log/prune-events.job.ts';
import { createRecorder } from './log/record-events.ts';
import { resendEvent, showEvent } from './sending/event-details.ts';
import { sendTest } from './sending/send-test.ts';
import { createSending } from './sending/sending.ts';

/** Binds the room's jobs, and returns what its routes, its commands and the pages are made of. */
export const createEvents = (given: Omit<EventsContext, 'onEndpointsChanged'>) => {
  const { jobs, database, clock } = given;
  const context: EventsContext = { ...given, onEndpointsChanged: () => sending.refresh() };
  const recorder = createRecorder({ ...context, onRecorded: () => sending.wake() });
  const sending = createSending({ ...context, onDeactivated: async () => undefined });
  const testing = { ...context, ...recorder };
  jobs.prune(pruneEventsJob, { everyMs: PRUNE_EVERY_MS }, () => handlePruneEvents(context));
  return {
    /** For other rooms: call it in the transaction of what happened. */
    record: recorder.record,
    ...withContext(context, { findLogEnd, followLog, showEvent, resendEvent, prune: handlePruneEvents }),
    endpoints: {
      ...withContext(context, {
        list: showEndpoints,
        show: showEndpoint,
        create: createEndpoint,
        change: changeEndpoint,
        remove: removeEndpoint,
        rotate: rotateSecret,
        replay: replayEvents,
      }),
      ...withContext(testing, { test: sendTest }),
    },
    sending,
    eraser: {
      ...withContext(context, { erase: eraseTeam }),
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
