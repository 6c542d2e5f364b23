import { createLanes } from './lanes.ts';

/** Measures how long something has been going on: from the first note until `schedule` calls back. */
export const createStopwatch = (schedule: (end: () => void) => unknown) => {
  let since: number | null = null;
  const end = (): void => {
    since = null;
  };
  return {
    note(): void {
      if (since !== null) return;
      since = performance.now();
      schedule(end);
    },
    has: (ms: number): boolean => since !== null && performance.now() - since >= ms,
    end,
  };
};

/**
 * A queue for work that blocks the event loop: one after the other, for a limited time in each turn. No matter how many
 * are waiting, everything else runs in between.
 */
export const createTurnQueue = (shareMs: number, turn = createStopwatch(setImmediate)) => {
  const waiting = createLanes<() => void>();
  let scheduled = false;
  let serving = false;

  /** Runs one. If it stops early, with no microtasks left, the next one follows in the same turn. */
  const serveNext = (): void => {
    const next = turn.has(shareMs) ? undefined : waiting.shift();
    if (next) {
      next();
      queueMicrotask(() => process.nextTick(serveNext));
    } else {
      serving = false;
      if (waiting.size > 0) schedule();
    }
  };

  const beginTurn = (): void => {
    scheduled = false;
    serving = true;
    turn.end();
    turn.note();
    serveNext();
  };

  const schedule = (): void => {
    if (!scheduled) setImmediate(beginTurn);
    scheduled = true;
  };

  return {
    /** Resolves when it's the caller's turn. */
    wait: (): Promise<void> =>
      new Promise((resolve) => {
        waiting.push(resolve);
        if (!serving) schedule();
      }),
  };
};
