import { setImmediate as nextTurn } from 'node:timers/promises';
import { createRotation } from './rotation.ts';

/** Measures the time since the first `note`. Starts over when `schedule` calls back. */
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
 * Runs work that blocks the event loop, one piece after the other, for `shareMs` in each turn of the event loop.
 * However many pieces wait, everything else runs in between.
 */
export const createEventLoopTurns = (shareMs: number, turn = createStopwatch(setImmediate)) => {
  const waiting = createRotation<() => void>();
  let scheduled = false;
  let serving = false;

  /** Starts one waiting piece. If time is left once no microtasks remain, the next piece follows right away. */
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
    /** Resolves when the caller may start. Owners take turns in the queue. */
    wait: (): Promise<void> =>
      new Promise((resolve) => {
        waiting.push(resolve);
        if (!serving) schedule();
      }),
  };
};

/**
 * Lets requests that arrived meanwhile run first. Call this between two pieces of work that block the event loop. Waits
 * twice, because the first wait may end in the current turn of the event loop, before new requests are read.
 */
export const giveWay = async (): Promise<void> => {
  await nextTurn();
  await nextTurn();
};
