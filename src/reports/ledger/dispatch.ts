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
