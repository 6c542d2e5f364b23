import { withContext } from '../platform/index.ts';
import { eraseTeam } from './erase-team.ts';
import type { EventsContext } from './log/context.ts';
import { followLog } from './log/follow-log.ts';
import { handlePruneEvents, PRUNE_EVERY_MS, pruneEventsJob } from './log/prune-events.job.ts';
import { createRecorder } from './log/record-events.ts';

/** Binds the room's jobs, and returns what its routes, its commands and the pages are made of. */
export const createEvents = (context: EventsContext) => {
  const { jobs } = context;
  const recorder = createRecorder({ ...context, onRecorded: () => undefined });
  jobs.prune(pruneEventsJob, { everyMs: PRUNE_EVERY_MS }, () => handlePruneEvents(context));
  return {
    /** For other rooms: call it in the transaction of what happened. */
    record: recorder.record,
    ...withContext(context, { followLog, prune: handlePruneEvents }),
    eraser: {
      ...withContext(context, { erase: eraseTeam }),
      gone: recorder.recordErasure,
    },
  };
};

export type Events = ReturnType<typeof createEvents>;
