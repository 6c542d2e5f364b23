import { createStopwatch, createTurnQueue } from '../../running/turn-queue.ts';

/** So long one chain of statements may hold the event loop, and the queue of those that had to stop in each of its turns. */
const CHAIN_MS = 10;
/** So long all chains together may: many requests that came at once are still answered at once. */
const TURN_MS = 30;

/**
 * Lets everybody else go on between the statements of a long piece of work. SQLite answers at once, so awaiting it is no
 * turn of the event loop: a loop of reads would keep timers, sockets and all other requests waiting until it ends.
 *
 * Once a chain of statements has held the event loop for a few milliseconds, or all chains of one turn for a few more,
 * whoever wants the next statement waits in a queue. So a loop of any length takes its place behind every request that
 * came meanwhile, and no turn gets longer the more of them are waiting.
 */
export const createFairTurns = () => {
  // A tick comes when no microtask is left: every chain has stopped, to wait for something that takes time.
  const chain = createStopwatch(process.nextTick);
  const turn = createStopwatch(setImmediate);
  const queue = createTurnQueue(CHAIN_MS, turn);

  const wait = (chainMs: number): Promise<void> | null => {
    if (chain.has(chainMs) || turn.has(TURN_MS)) return queue.wait();
    chain.note();
    turn.note();
    return null;
  };

  return {
    /** To be awaited before a statement; null where it may go on at once. */
    beforeStatement: (): Promise<void> | null => wait(CHAIN_MS),
    /** Others cannot write until a transaction ends, so it begins where it need not stop after its first statement. */
    beforeTransaction: (): Promise<void> | null => wait(CHAIN_MS / 4),
  };
};

export type FairTurns = ReturnType<typeof createFairTurns>;
