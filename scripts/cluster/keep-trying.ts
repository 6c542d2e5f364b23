import { setTimeout as sleep } from 'node:timers/promises';

const PAUSE_MS = 200;
const LONGEST_MS = 60_000;

/**
 * Repeats the work until it succeeds, as a client does that is told to try again. After a minute, throws the last
 * error.
 */
export const keepTrying = async <Result>(work: () => Promise<Result>): Promise<Result> => {
  const begun = performance.now();
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (performance.now() - begun > LONGEST_MS) throw error;
      await sleep(PAUSE_MS);
    }
  }
};
