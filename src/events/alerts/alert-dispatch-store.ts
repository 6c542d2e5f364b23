import { deleteInPieces, insertRow, type Queries, type Transaction } from '../../platform/index.ts';
import type { Channel } from './alert.ts';

/**
 * queued → sending → sent
 *    ↑________│ └──→ unclear: it may have been accepted, so it isn't sent again
 * queued → failed; skipped if there was nothing left to say, or nobody to say it to.
 */
type DispatchState = 'queued' | 'sending' | 'sent' | 'unclear' | 'failed' | 'skipped';

/** A notice on its way to one recipient. */
export type AlertDispatch = {
  id: string;
  teamId: string;
  noticeId: string;
  channel: Channel;
  recipientHash: string;
  state: DispatchState;
  problem: string | null;
  /** How many attempts were completed. */
  attempts: number;
  /** How many causes there was no room for. */
  leftOut: number;
  createdAt: number;
  sentAt: number | null;
};

export const insertDispatch = (tx: Transaction, dispatch: AlertDispatch): Promise<number> =>
  insertRow(tx, 'event_alert_dispatches', dispatch);

export const getDispatch = (queries: Queries, teamId: string, id: string): Promise<AlertDispatch | undefined> =>
  queries.get<AlertDispatch>(
    `select id, team_id as "teamId", notice_id as "noticeId", channel, recipient_hash as "recipientHash", state, problem,
      attempts, left_out as "leftOut", created_at as "createdAt", sent_at as "sentAt"
      from event_alert_dispatches where team_id = $1 and id = $2`,
    [teamId, id],
  );

/** From here on it may have been accepted. Returns 0 if another process was faster. */
export const beginSending = (queries: Queries, { teamId, id, attempts }: AlertDispatch): Promise<number> =>
  queries.run(
    `update event_alert_dispatches set state = 'sending', problem = null
      where team_id = $1 and id = $2 and state = 'queued' and attempts = $3`,
    [teamId, id, attempts],
  );

/** Records how this attempt ended. Returns 0 if another process already did. */
export const settleDispatch = (
  queries: Queries,
  { teamId, id, attempts }: AlertDispatch,
  { state, problem = null, sentAt = null }: { state: DispatchState; problem?: string | null; sentAt?: number | null },
): Promise<number> =>
  queries.run(
    `update event_alert_dispatches set state = $4, problem = $5, sent_at = $6, attempts = attempts + 1
      where team_id = $1 and id = $2 and attempts = $3 and state in ('queued', 'sending')`,
    [teamId, id, attempts, state, problem, sentAt],
  );

export const deleteDispatchesBefore = (queries: Queries, at: number): Promise<number> =>
  deleteInPieces(queries, { from: 'event_alert_dispatches', key: 'id', where: 'created_at < $1' }, [at]);

export const deleteDispatchesOfTeam = (queries: Queries, teamId: string, pace: () => Promise<void>): Promise<number> =>
  deleteInPieces(queries, { from: 'event_alert_dispatches', key: 'id', where: 'team_id = $1' }, [teamId], pace);
