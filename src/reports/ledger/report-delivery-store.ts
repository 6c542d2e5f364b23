import type { Queries } from '../../platform/index.ts';
import type { DeliveryState, ReportDelivery } from './report-delivery.ts';

const SELECTED = `id, team_id as "teamId", report_id as "reportId", week, channel, recipient_hash as "recipientHash", recipient,
  state, problem, attempts, next_try_at as "nextTryAt", created_at as "createdAt", sent_at as "sentAt"`;

/** Returns 0 if this recipient already has this week. */
export const insertReportDelivery = (queries: Queries, delivery: ReportDelivery): Promise<number> =>
  queries.run(
    `insert into report_deliveries
      (id, team_id, report_id, week, channel, recipient_hash, recipient, state, problem, attempts, created_at)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) on conflict do nothing`,
    [
      delivery.id,
      delivery.teamId,
      delivery.reportId,
      delivery.week,
      delivery.channel,
      delivery.recipientHash,
      delivery.recipient,
      delivery.state,
      delivery.problem,
      delivery.attempts,
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

/** How many it was sent to or is on its way to. */
export const countReportDeliveries = async (queries: Queries, teamId: string, week: string): Promise<number> => {
  const row = await queries.get<{ n: number }>(
    `select count(*) as n from report_deliveries where team_id = $1 and week = $2
      and state in ('queued', 'sending', 'sent', 'unclear')`,
    [teamId, week],
  );
  return Number(row?.n ?? 0);
};

export type DeliveryCount = { week: string; state: DeliveryState; deliveries: number };

/** What became of the deliveries of these weeks. */
export const countDeliveriesByState = async (
  queries: Queries,
  teamId: string,
  { first, last }: { first: string; last: string },
): Promise<DeliveryCount[]> => {
  const rows = await queries.all<DeliveryCount>(
    `select week, state, count(*) as deliveries from report_deliveries
      where team_id = $1 and week >= $2 and week <= $3 group by week, state order by week, state`,
    [teamId, first, last],
  );
  return rows.map((row) => ({ ...row, deliveries: Number(row.deliveries) }));
};

type Held = Pick<ReportDelivery, 'teamId' | 'id' | 'attempts'>;

/** From here on it may have been accepted. Returns 0 if another process was faster. */
export const beginSending = (queries: Queries, { teamId, id, attempts }: Held): Promise<number> =>
  queries.run(
    `update report_deliveries set state = 'sending', problem = null, next_try_at = null
      where team_id = $1 and id = $2 and state = 'queued' and attempts = $3`,
    [teamId, id, attempts],
  );

export type Settled = { state: DeliveryState; problem: string | null; nextTryAt?: number | null; sentAt?: number };

/** Records how this attempt ended. Returns 0 if another process already did. */
export const settleDelivery = (
  queries: Queries,
  { teamId, id, attempts }: Held,
  { state, problem, nextTryAt = null, sentAt }: Settled,
): Promise<number> =>
  queries.run(
    `update report_deliveries
      set state = $4, problem = $5, next_try_at = $6, sent_at = $7, attempts = attempts + 1
      where team_id = $1 and id = $2 and attempts = $3 and state in ('queued', 'sending')`,
    [teamId, id, attempts, state, problem, nextTryAt, sentAt ?? null],
  );

/** If nobody got it. Returns 0 if somebody did, or if that was too long ago. */
export const deleteSkipped = (queries: Queries, teamId: string, week: string, since: number): Promise<number> =>
  queries.run(
    `delete from report_deliveries where team_id = $1 and week = $2 and state = 'skipped' and created_at >= $3
      and not exists (select 1 from report_deliveries o where o.team_id = $1 and o.week = $2 and o.state <> 'skipped')`,
    [teamId, week, since],
  );

export const listSkippedWeeks = async (queries: Queries, teamId: string, since: number): Promise<string[]> => {
  const rows = await queries.all<{ week: string }>(
    `select distinct week from report_deliveries
      where team_id = $1 and state = 'skipped' and created_at >= $2 order by week`,
    [teamId, since],
  );
  return rows.map(({ week }) => week);
};

export const listFailedInSlack = (queries: Queries, teamId: string, since: number): Promise<ReportDelivery[]> =>
  queries.all<ReportDelivery>(
    `select ${SELECTED} from report_deliveries
      where team_id = $1 and channel = 'slack' and state = 'failed' and created_at >= $2 order by week`,
    [teamId, since],
  );

export const requeueFailed = (queries: Queries, { teamId, id }: Held): Promise<number> =>
  queries.run(
    `update report_deliveries set state = 'queued', problem = null where team_id = $1 and id = $2 and state = 'failed'`,
    [teamId, id],
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

export const deleteUnsubscribe = (queries: Queries, teamId: string, recipientHash: string): Promise<number> =>
  queries.run('delete from report_unsubscribes where team_id = $1 and recipient_hash = $2', [teamId, recipientHash]);

export const isUnsubscribed = async (queries: Queries, teamId: string, recipientHash: string): Promise<boolean> =>
  (await queries.get('select at from report_unsubscribes where team_id = $1 and recipient_hash = $2', [
    teamId,
    recipientHash,
  ])) !== undefined;
