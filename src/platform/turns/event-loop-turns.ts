import { setImmediate as nextTurn } from 'node:timers/promises';
import { createRotation } from './rotation.ts';

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
 * Turns for work that blocks the event loop: one piece after the other, for `shareMs` in each turn of the loop. No matter
 * how many are waiting, everything else runs in between.
 */
export const createEventLoopTurns = (shareMs: number, turn = createStopwatch(setImmediate)) => {
  const waiting = createRotation<() => void>();
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
    /** Resolves when it's the caller's turn. Owners take turns, too. */
    wait: (): Promise<void> =>
      new Promise((resolve) => {
        waiting.push(resolve);
        if (!serving) schedule();
      }),
  };
};

/**
 * Lets requests that arrived meanwhile come first, between two pieces of work that block the event loop. Takes two turns,
 * because the first may still be that of the message that brought the work.
 */
export const giveWay = async (): Promise<void> => {
  await nextTurn();
  await nextTurn();
};
