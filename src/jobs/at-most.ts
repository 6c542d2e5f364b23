import { setTimeout as sleep } from 'node:timers/promises';

/** Waits for the work, and no longer than this. */
export const atMost = async (work: Promise<unknown>, ms: number): Promise<void> => {
  const over = new AbortController();
  try {
    await Promise.race([work, sleep(ms, undefined, { signal: over.signal }).catch(() => undefined)]);
  } finally {
    over.abort();
  }
};
