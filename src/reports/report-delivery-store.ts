import type { Queries } from '../platform/index.ts';

/**
 * queued → sending → sent
 *    ↑________│ └──→ unclear: it may have been taken, and nobody can tell
 * queued → failed, unsubscribed. The recipient is sealed.
 */
export type DeliveryState = 'queued' | 'sending' | 'sent' | 'unclear' | 'failed' | 'unsubscribed';

export type ReportDelivery = {
  id: string;
  teamId: string;
  reportId: string;
  week: string;
  recipientHash: string;
  recipient: string;
  state: DeliveryState;
  problem: string | null;
  createdAt: number;
  sentAt: number | null;
};

const SELECTED = `id, team_id as "teamId", report_id as "reportId", week, recipient_hash as "recipientHash", recipient, state,
  problem, created_at as "createdAt", sent_at as "sentAt"`;

/** Answers 0 where this recipient was told of this week already. */
export const insertReportDelivery = (queries: Queries, delivery: ReportDelivery): Promise<number> =>
  queries.run(
    `insert into report_deliveries (id, team_id, report_id, week, channel, recipient_hash, recipient, state, created_at)
      values ($1, $2, $3, $4, 'mail', $5, $6, 'queued', $7) on conflict do nothing`,
    [
      delivery.id,
      delivery.teamId,
      delivery.reportId,
      delivery.week,
      delivery.recipientHash,
      delivery.recipient,
      delivery.createdAt,
    ],
  );

export const getReportDelivery = (queries: Queries, teamId: string, id: string): Promise<ReportDelivery | undefined> =>
  queries.get<ReportDelivery>(`select ${SELECTED} from report_deliveries where team_id = $1 and id = $2`, [teamId, id]);

export const listReportDeliveries = (queries: Queries, teamId: string, week: string): Promise<ReportDelivery[]> =>
  queries.all<ReportDelivery>(
    `select ${SELECTED} from report_deliveries where team_id = $1 and week = $2 order by created_at, id limit 1000`,
    [teamId, week],
  );

/** Answers 0 where somebody else was faster. */
export const changeDeliveryState = (
  queries: Queries,
  teamId: string,
  id: string,
  { from, to, problem = null, now }: { from: DeliveryState; to: DeliveryState; problem?: string | null; now: number },
): Promise<number> =>
  queries.run(
    `update report_deliveries set state = $4, problem = $5, sent_at = case when $4 = 'sent' then $6 else sent_at end
      where team_id = $1 and id = $2 and state = $3`,
    [teamId, id, from, to, problem, now],
  );

export const insertUnsubscribe = (
  queries: Queries,
  teamId: string,
  recipientHash: string,
  now: number,
): Promise<number> =>
  queries.run(
    'insert into report_unsubscribes (team_id, recipient_hash, at) values ($1, $2, $3) on conflict do nothing',
    [teamId, recipientHash, now],
  );

export const isUnsubscribed = async (queries: Queries, teamId: string, recipientHash: string): Promise<boolean> =>
  (await queries.get('select at from report_unsubscribes where team_id = $1 and recipient_hash = $2', [
    teamId,
    recipientHash,
  ])) !== undefined;
