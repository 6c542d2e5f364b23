import type { SendFailure } from '../../platform/index.ts';

/**
 * queued → sending → sent
 *    ↑________│ └──→ unclear: it may have been taken, and nobody can tell
 * queued → failed, unsubscribed. `sending` is written at the last moment at which it has surely not been taken, so that
 * whatever ends the process before then does no harm. `skipped`: there was nobody to send to. `failed` is queued again
 * where the team sets another Slack address.
 */
export type DeliveryState = 'queued' | 'sending' | 'sent' | 'unclear' | 'failed' | 'unsubscribed' | 'skipped';

export type ReportDelivery = {
  id: string;
  teamId: string;
  reportId: string;
  week: string;
  channel: 'mail' | 'slack';
  recipientHash: string;
  /** Sealed. Null in Slack, where it is the team's address of the day. */
  recipient: string | null;
  state: DeliveryState;
  problem: string | null;
  /** How often it was tried to the end. */
  attempts: number;
  nextTryAt: number | null;
  createdAt: number;
  sentAt: number | null;
};

/** With how long the other side has asked us to wait. */
export type DeliveryFailure = SendFailure & { retryAfterMs?: number };

/** Calls `begin` before anything leaves that may be taken, and sends nothing if that fails. Null: it was taken. */
export type Send = (begin: () => Promise<void>) => Promise<DeliveryFailure | null>;

const LEAST_WAIT_MS = 60_000;
const MOST_WAIT_MS = 6 * 3_600_000;
const GIVEN_UP_AFTER_MS = 3 * 24 * 3_600_000;

/** Each wait is as long as all before it, within limits. Null: it was tried for long enough. */
export const nextWaitMs = (
  { createdAt }: Pick<ReportDelivery, 'createdAt'>,
  { retryAfterMs = 0 }: Pick<DeliveryFailure, 'retryAfterMs'>,
  now: number,
): number | null => {
  const waitedMs = now - createdAt;
  if (waitedMs >= GIVEN_UP_AFTER_MS) return null;
  return Math.max(retryAfterMs, Math.min(MOST_WAIT_MS, Math.max(LEAST_WAIT_MS, waitedMs)));
};
