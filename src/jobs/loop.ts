import type { Log } from '../platform/index.ts';

const POLL_MS = 500;

/**
 * Repeats a turn and a rest until it's stopped. `wake` cuts the rest short. A failure doesn't end the loop: the first
 * of a series is logged, and the next turn comes after the rest.
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
    /** Resolves when the current turn is over. */
    stop(): Promise<void> {
      stopping = true;
      endRest();
      return ended;
    },
  };
};
