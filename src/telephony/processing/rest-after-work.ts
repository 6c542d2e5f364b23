import { setTimeout as sleep } from 'node:timers/promises';
import { giveWay } from '../../platform/index.ts';

/** A turn of the event loop that is shorter than this has served nobody else. */
const NOBODY_MS = 0.5;
/** Work that took longer than this was itself kept waiting. */
const MOST_WORK_MS = 10;
/** While callers wait, they get this many times as long as the work did; less once the work itself is late. */
const FOR_CALLERS = { usual: 9, late: 1 };
const LATE_MS = 2_000;
/** An event loop that is busy for less of its time than this keeps nobody waiting. */
const QUIET = 0.85;

/**
 * Decides how much background work runs while calls come in, by watching the event loop: if it has a free moment, no
 * one is waiting in line, and work continues right away. Otherwise, callers come first. `waitedMs` is how long the
 * oldest work has waited.
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
