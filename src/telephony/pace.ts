import { giveWay } from '../platform/index.ts';

/** A turn of the event loop that is shorter than this has kept nobody waiting. */
const QUIET_MS = 2;
/** Work that took longer than this was itself kept waiting. */
const MOST_WORK_MS = 10;
/** Of the time that is fought over, so much goes to those who call for every part of work; less once that is late. */
const FOR_CALLERS = { usual: 9, late: 1 };
const LATE_MS = 1_500;

/**
 * How much background work runs while calls come in. It is told by the event loop itself: after each piece of work all
 * who wait have their turn, and a caller who comes now waits for as long as that takes. While nobody waits, work goes on
 * at once.
 */
export const createPace = () => ({
  /** `waitedMs`: how long the oldest work has waited. */
  async rest(workedMs: number, waitedMs: number): Promise<void> {
    const share = waitedMs > LATE_MS ? FOR_CALLERS.late : FOR_CALLERS.usual;
    const enoughMs = Math.min(workedMs, MOST_WORK_MS) * share;
    for (let othersMs = 0; othersMs < enoughMs; ) {
      const begun = performance.now();
      await giveWay();
      const turnMs = performance.now() - begun;
      if (turnMs < QUIET_MS) return;
      othersMs += turnMs;
    }
  },
});
