import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseUnavailable } from '../../platform/index.ts';

const FIRST_WAIT_MS = 50;
const MOST_WAIT_MS = 2_000;

/** Makes a write that must not be lost. If the database is unavailable, retries until the time is up. */
export const keepTrying = async <Result>(forMs: number, write: () => Promise<Result>): Promise<Result> => {
  const giveUpAt = performance.now() + forMs;
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, MOST_WAIT_MS)) {
    try {
      return await write();
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable) || performance.now() + waitMs > giveUpAt) throw error;
    }
    await sleep(waitMs);
  }
};
