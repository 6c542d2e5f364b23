import { createLanes } from './lanes.ts';

/** Measures how long something has gone on: from the first note until `schedule` calls back. */
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
 * A queue for work that holds the event loop: one after the other, for so long in each of its turns. However many
 * wait, everybody else goes on in between.
 */
export const createTurnQueue = (shareMs: number, turn = createStopwatch(setImmediate)) => {
  const waiting = createLanes<() => void>();
  let scheduled = false;
  let serving = false;

  /** Lets one go on. The next one follows in the same turn if that one has stopped early: no microtask of its is left. */
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
    /** Resolves when it is one's turn. */
    wait: (): Promise<void> =>
      new Promise((resolve) => {
        waiting.push(resolve);
        if (!serving) schedule();
      }),
  };
};
