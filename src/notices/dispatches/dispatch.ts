import type { Static } from 'typebox';
import type { Channel } from '../../events/index.ts';
import { type SendFailure, Type } from '../../platform/index.ts';

/**
 * queued → sending → sent
 *    ↑________│ └──→ unclear: it may have been accepted, so it isn't sent again
 * queued → failed, unsubscribed. `sending` is written at the last moment when it surely hasn't been accepted, so a
 * crash before then does no harm. `skipped` means there was nobody to send it to, or nothing left to say. A report that
 * `failed` is queued again when the team saves another Slack webhook URL.
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

/** What a job carries. The dispatch's row says everything else. */
export const DispatchAttempt = Type.Object({
  teamId: Type.String(),
  dispatchId: Type.String(),
  attempt: Type.Integer(),
});
export type DispatchAttempt = Static<typeof DispatchAttempt>;

/** Includes how long the other side asked us to wait. */
export type DispatchFailure = SendFailure & { retryAfterMs?: number };

/** Calls `begin` before sending anything, and sends nothing if that fails. Null if it was accepted. */
export type Send = (begin: () => Promise<void>) => Promise<DispatchFailure | null>;

/** Why a dispatch isn't sent at all. */
export type Unsent = { state: 'skipped' | 'unsubscribed'; problem?: string };

const LEAST_WAIT_MS = 60_000;
const MOST_WAIT_MS = 6 * 3_600_000;
const GIVEN_UP_AFTER_MS = 3 * 24 * 3_600_000;

/** Each wait is as long as all those before it, within limits. Null if it's time to give up. */
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
