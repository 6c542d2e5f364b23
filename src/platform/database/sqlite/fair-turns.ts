import { createEventLoopTurns, createStopwatch } from '../../turns/event-loop-turns.ts';

/**
 * How long a chain may block the event loop. A chain is a series of statements that wait for nothing else in between.
 * Also, how long queued statements may run in each turn of the event loop.
 */
const CHAIN_MS = 10;
/** How long all chains together may block one turn of the event loop, even if many requests run statements. */
const TURN_MS = 30;

/**
 * Lets other requests run between the statements of a long task. SQLite responds synchronously, so awaiting a statement
 * never returns to the event loop: a loop of reads would keep timers, sockets, and all other requests waiting.
 *
 * Once a chain of statements has run for `CHAIN_MS`, or all chains in one turn of the event loop for `TURN_MS`, the
 * next statement waits in a queue. It runs after the requests that have arrived meanwhile.
 */
export const createFairTurns = () => {
  // The next tick comes when no microtasks are left. Then all chains wait for something slow, so `chain` starts over.
  const chain = createStopwatch(process.nextTick);
  const turn = createStopwatch(setImmediate);
  const queue = createEventLoopTurns(CHAIN_MS, turn);

  const wait = (chainMs: number): Promise<void> | null => {
    if (chain.has(chainMs) || turn.has(TURN_MS)) return queue.wait();
    chain.note();
    turn.note();
    return null;
  };

  return {
    /** Await this before a statement. Null if the statement can start right away. */
    beforeStatement: (): Promise<void> | null => wait(CHAIN_MS),
    /** Starts a transaction only if most of the chain's time is left, because nobody else can write until it ends. */
    beforeTransaction: (): Promise<void> | null => wait(CHAIN_MS / 4),
  };
};

export type FairTurns = ReturnType<typeof createFairTurns>;
