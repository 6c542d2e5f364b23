import type { SendFailure } from '../../platform/index.ts';

/**
 * queued → sending → sent
 *    ↑________│ └──→ unclear: it may have been accepted
 * queued → failed, unsubscribed. `sending` is written at the last moment when it surely hasn't been accepted, so a
 * crash before then does no harm. `skipped` means there was nobody to send it to. `failed` is queued again when the
 * team saves another Slack webhook URL.
 */
export type DispatchState = 'queued' | 'sending' | 'sent' | 'unclear' | 'failed' | 'unsubscribed' | 'skipped';

/** A report on its way to one recipient. */
export type Dispatch = {
  id: string;
  teamId: string;
  reportId: string;
  week: string;
  channel: 'mail' | 'slack';
  recipientHash: string;
  /** Sealed. Null for Slack, which uses the team's current address. */
  recipient: string | null;
  state: DispatchState;
  problem: string | null;
  /** How many attempts were completed. */
  attempts: number;
  nextTryAt: number | null;
  createdAt: number;
  sentAt: number | null;
};

/** Includes how long the other side asked us to wait. */
export type DispatchFailure = SendFailure & { retryAfterMs?: number };

/** Calls `begin` before sending anything, and sends nothing if that fails. Null if it was accepted. */
export type Send = (begin: () => Promise<void>) => Promise<DispatchFailure | null>;

const LEAST_WAIT_MS = 60_000;
const MOST_WAIT_MS = 6 * 3_600_000;
const GIVEN_UP_AFTER_MS = 3 * 24 * 3_600_000;

/** Each wait is as long as all those before it, within limits. Null if it's time to give up. */
export const nextWaitMs = (
  { createdAt }: Pick<Dispatch, 'createdAt'>,
  { retryAfterMs = 0 }: Pick<DispatchFailure, 'retryAfterMs'>,
  now: number,
): number | null => {
  const waitedMs = now - createdAt;
  if (waitedMs >= GIVEN_UP_AFTER_MS) return null;
  return Math.max(retryAfterMs, Math.min(MOST_WAIT_MS, Math.max(LEAST_WAIT_MS, waitedMs)));
};
