import type { Log } from '../platform/index.ts';

const POLL_MS = 500;

/**
 * A turn, a rest, the next turn, until it is stopped. `wake` cuts the rest short. A turn that fails is logged, the first
 * of a row, and after the rest the next one is tried: nothing that a turn meets ends the loop.
 */
export const createLoop = (log: Log, purpose: string, turn: () => Promise<void>, everyMs = POLL_MS) => {
  let ended: Promise<void> = Promise.resolve();
  let stopping = false;
  let woken = false;
  let failing = false;
  let endRest = (): void => undefined;

  const takeTurn = async (): Promise<void> => {
    try {
      await turn();
      if (failing) log.info({}, `${purpose} works again.`);
      failing = false;
    } catch (error) {
      if (!failing) log.error({ err: error }, `${purpose} is failing. Retrying until it works.`);
      failing = true;
    }
  };

  const rest = (): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, everyMs);
      endRest = () => {
        clearTimeout(timer);
        resolve();
      };
      if (stopping || (woken && !failing)) endRest();
    });

  const run = async (): Promise<void> => {
    while (!stopping) {
      woken = false;
      await takeTurn();
      await rest();
    }
  };

  return {
    start(): void {
      ended = run();
    },
    wake(): void {
      woken = true;
      endRest();
    },
    /** Resolves when the turn under way is over. */
    stop(): Promise<void> {
      stopping = true;
      endRest();
      return ended;
    },
  };
};
