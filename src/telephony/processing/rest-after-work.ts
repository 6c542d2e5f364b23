import { setTimeout as sleep } from 'node:timers/promises';
import { giveWay } from '../../platform/index.ts';

/** A turn of the event loop that takes less time than this did no other work. */
const NOBODY_MS = 0.5;
/** Limit for the working time that determines the pause. If work took longer, it was mostly waiting itself. */
const MOST_WORK_MS = 10;
/**
 * While callers wait, background work pauses for nine times as long as it took, or just as long once it's late itself.
 */
const FOR_CALLERS = { usual: 9, late: 1 };
const LATE_MS = 2_000;
/** Utilization of the event loop below which nobody is kept waiting. */
const QUIET = 0.85;

/**
 * Pauses background work while calls come in. If the event loop has a free moment, no request is waiting, and work
 * continues right away. Otherwise, callers come first. `waitedMs` is how long the oldest work has waited.
 */
export const restAfterWork = async (workedMs: number, waitedMs: number): Promise<void> => {
  const begun = performance.now();
  await giveWay();
  if (performance.now() - begun < NOBODY_MS) return;
  const share = waitedMs > LATE_MS ? FOR_CALLERS.late : FOR_CALLERS.usual;
  const until = begun + Math.min(workedMs, MOST_WORK_MS) * share;
  while (performance.now() < until) {
    const before = performance.eventLoopUtilization();
    await sleep(1);
    if (performance.eventLoopUtilization(before).utilization < QUIET) return;
  }
};
