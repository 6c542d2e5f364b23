import type { Static } from 'typebox';
import type { Channel } from '../../events/index.ts';
import { type SendFailure, Type } from '../../platform/index.ts';

/**
 * queued → sending → sent
 *    ↑________│ └──→ unclear: the message may have been accepted, so it isn't sent again
 * queued, sending → failed
 * queued → unsubscribed, skipped
 *
 * `sending` is written just before the message could be accepted, so a crash before then does no harm. `skipped`: there
 * was nobody to send the message to, or nothing left to say. A report that `failed` is queued again when the team saves
 * another Slack webhook URL.
 */
export type DispatchState = 'queued' | 'sending' | 'sent' | 'unclear' | 'failed' | 'unsubscribed' | 'skipped';

/** A message on its way to one recipient. */
export type Dispatch = {
  id: string;
  teamId: string;
  channel: Channel;
  recipientHash: string;
  state: DispatchState;
  problem: string | null;
  /** How many attempts were completed. */
  attempts: number;
  createdAt: number;
  sentAt: number | null;
};

/** The payload of a job. Everything else is read from the dispatch's row. */
export const DispatchAttempt = Type.Object({
  teamId: Type.String(),
  dispatchId: Type.String(),
  attempt: Type.Integer(),
});
export type DispatchAttempt = Static<typeof DispatchAttempt>;

/** A failure to send. `retryAfterMs`: how long the receiver asked us to wait. */
export type DispatchFailure = SendFailure & { retryAfterMs?: number };

/**
 * Sends a message. Calls `begin` first, and sends nothing if `begin` fails. Returns null if the message was accepted.
 */
export type Send = (begin: () => Promise<void>) => Promise<DispatchFailure | null>;

/** Why a dispatch isn't sent at all. */
export type Unsent = { state: 'skipped' | 'unsubscribed'; problem?: string };

const LEAST_WAIT_MS = 60_000;
const MOST_WAIT_MS = 6 * 3_600_000;
const GIVEN_UP_AFTER_MS = 3 * 24 * 3_600_000;

/** How long to wait before the next attempt: the age of the dispatch, within limits. Null to give up. */
export const nextDispatchWaitMs = (
  { createdAt }: { createdAt: number },
  { retryAfterMs = 0 }: Pick<DispatchFailure, 'retryAfterMs'>,
  now: number,
  givenUpAfterMs = GIVEN_UP_AFTER_MS,
): number | null => {
  const waitedMs = now - createdAt;
  if (waitedMs >= givenUpAfterMs) return null;
  return Math.max(retryAfterMs, Math.min(MOST_WAIT_MS, Math.max(LEAST_WAIT_MS, waitedMs)));
};
