import { defineJob } from '../../jobs/index.ts';
import { Type } from '../../platform/index.ts';
import type { EventsContext } from '../context.ts';
import { KEPT_MS } from './follow-log.ts';
import { deleteEventsUpTo, listOldest, raisePruned } from './log-store.ts';
import { getFirstTurn } from './log-time-store.ts';

export const PRUNE_EVERY_MS = 3_600_000;

export const pruneEventsJob = defineJob({
  name: 'prune-events',
  payload: Type.Object({}),
  attempts: 3,
  timeoutMs: 10 * 60_000,
});

const AT_ONCE = 200;

/**
 * The position of the newest expired event in this batch. An event with a time in the future, from a clock that was
 * ahead, expires together with the events after it.
 */
const findLastOld = async ({ database, clock }: EventsContext): Promise<number | null> => {
  const now = clock.now();
  let oldest = await listOldest(database, 0, AT_ONCE);
  if (oldest.every(({ createdAt }) => createdAt > now))
    oldest = await listOldest(database, await getFirstTurn(database), AT_ONCE);
  const kept = oldest.findIndex(({ createdAt }) => createdAt >= now - KEPT_MS && createdAt <= now);
  const before = kept === -1 ? oldest : oldest.slice(0, kept);
  return before.findLast(({ createdAt }) => createdAt < now - KEPT_MS)?.position ?? null;
};

/** Deletes expired events in the order of the log, so that the remaining events have no gaps. */
export const handlePruneEvents = async (context: EventsContext): Promise<void> => {
  const { database } = context;
  for (let last = await findLastOld(context); last !== null; last = await findLastOld(context)) {
    await raisePruned(database, last);
    await deleteEventsUpTo(database, last);
  }
};
