import { createEventLoopTurns, createStopwatch } from '../../turns/event-loop-turns.ts';

/**
 * How long one chain of statements may hold the event loop. Also how long queued statements may run in each turn of it.
 */
const CHAIN_MS = 10;
/** How long all chains together may hold one turn, so that many simultaneous requests still get a prompt response. */
const TURN_MS = 30;

/**
 * Lets other requests run between the statements of a long task. SQLite responds synchronously, so awaiting it doesn't
 * turn the event loop: a loop of reads would keep timers, sockets and all other requests waiting until it ends.
 *
 * Once a chain of statements has held the event loop for a few milliseconds, or all chains of one turn for a few more,
 * the next statement waits in a queue. So a loop of any length queues behind every request that arrived meanwhile, and
 * turns don't get longer when more statements wait.
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
    /** Await this before a statement. Null if the statement can start right away. */
    beforeStatement: (): Promise<void> | null => wait(CHAIN_MS),
    /** Starts a transaction only with enough time left in the turn, because nobody else can write until it ends. */
    beforeTransaction: (): Promise<void> | null => wait(CHAIN_MS / 4),
  };
};

export type FairTurns = ReturnType<typeof createFairTurns>;
