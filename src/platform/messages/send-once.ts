import type { SendFailure } from '../mailer.ts';

/** Includes how long the other side asked us to wait. */
export type DispatchFailure = SendFailure & { retryAfterMs?: number };

/** Calls `begin` before sending anything, and sends nothing if that fails. Null if it was accepted. */
export type Send = (begin: () => Promise<void>) => Promise<DispatchFailure | null>;

const LEAST_WAIT_MS = 60_000;
const MOST_WAIT_MS = 6 * 3_600_000;
const GIVEN_UP_AFTER_MS = 3 * 24 * 3_600_000;

/** Each wait is as long as all those before it, within limits. Null if it's time to give up. */
export const nextWaitMs = (
  { createdAt }: { createdAt: number },
  { retryAfterMs = 0 }: Pick<DispatchFailure, 'retryAfterMs'>,
  now: number,
  givenUpAfterMs = GIVEN_UP_AFTER_MS,
): number | null => {
  const waitedMs = now - createdAt;
  if (waitedMs >= givenUpAfterMs) return null;
  return Math.max(retryAfterMs, Math.min(MOST_WAIT_MS, Math.max(LEAST_WAIT_MS, waitedMs)));
};

class Overtaken extends Error {}

/**
 * Sends what nobody else is sending. `begin` records, at the last moment when it surely hasn't been accepted, that it
 * may be from now on, and returns 0 if another process was faster. Null in that case.
 */
export const sendOnce = async (
  send: Send,
  begin: () => Promise<number>,
): Promise<{ failure: DispatchFailure | null } | null> => {
  try {
    const failure = await send(async () => {
      if ((await begin()) === 0) throw new Overtaken();
    });
    return { failure };
  } catch (error) {
    if (error instanceof Overtaken) return null;
    throw error;
  }
};
