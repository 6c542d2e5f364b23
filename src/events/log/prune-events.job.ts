import { defineJob } from '../../jobs/index.ts';
import { Type } from '../../platform/index.ts';
import type { EventsContext } from './context.ts';
import { KEPT_MS } from './follow-log.ts';
import { deleteEventsUpTo, listOldest, raisePruned } from './log-store.ts';

export const PRUNE_EVERY_MS = 3_600_000;

export const pruneEventsJob = defineJob({
  name: 'prune-events',
  payload: Type.Object({}),
  attempts: 3,
  timeoutMs: 10 * 60_000,
});

const AT_ONCE = 200;

/** In the order of the log, so that what is left has no gaps. */
export const handlePruneEvents = async ({ database, clock }: EventsContext): Promise<void> => {
  const keptSince = clock.now() - KEPT_MS;
  for (let isFull = true; isFull; ) {
    const oldest = await listOldest(database, AT_ONCE);
    const kept = oldest.findIndex(({ createdAt }) => createdAt >= keptSince);
    const last = oldest.at(kept === -1 ? -1 : kept - 1);
    if (!last || kept === 0) return;
    await raisePruned(database, last.position);
    await deleteEventsUpTo(database, last.position);
    isFull = kept === -1;
  }
};
