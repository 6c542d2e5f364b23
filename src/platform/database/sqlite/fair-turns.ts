import { createEventLoopTurns, createStopwatch } from '../../turns/event-loop-turns.ts';

/** How long one chain of statements may hold the event loop, and how long the queue may in each of its turns. */
const CHAIN_MS = 10;
/** How long all chains together may, so that many requests that arrive together still get a prompt response. */
const TURN_MS = 30;

/**
 * Lets others continue between the statements of a long task. SQLite responds synchronously, so awaiting it doesn't
 * turn the event loop: a loop of reads would keep timers, sockets and all other requests waiting until it ends.
 *
 * Once a chain of statements has held the event loop for a few milliseconds, or all chains of one turn for a few more,
 * the next statement waits in a queue. So a loop of any length queues behind every request that arrived meanwhile, and
 * turns don't get longer the more of them are waiting.
 */
export const createFairTurns = () => {
  // The tick runs when no microtasks are left, which means that every chain is waiting for something slow.
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
    /** Await this before a statement. Null if it can start right away. */
    beforeStatement: (): Promise<void> | null => wait(CHAIN_MS),
    /** Nobody else can write until a transaction ends, so it starts only with enough time left in the turn. */
    beforeTransaction: (): Promise<void> | null => wait(CHAIN_MS / 4),
  };
};

export type FairTurns = ReturnType<typeof createFairTurns>;
