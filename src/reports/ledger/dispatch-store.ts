import type { DispatchState } from '../../notices/index.ts';
import { deleteInPieces, type Queries } from '../../platform/index.ts';
import { type ReportDispatch, reportDispatches } from './report-dispatches.ts';

const SELECTED = reportDispatches.ledger.selected;

export const listDispatches = (queries: Queries, teamId: string, week: string): Promise<ReportDispatch[]> =>
  queries.all<ReportDispatch>(
    `select ${SELECTED} from report_deliveries where team_id = $1 and week = $2 order by created_at, id limit 1000`,
    [teamId, week],
  );

/** How many recipients have got a week's report, or will get it. */
export const countDispatches = async (queries: Queries, teamId: string, week: string): Promise<number> => {
  const row = await queries.get<{ n: number }>(
    `select count(*) as n from report_deliveries where team_id = $1 and week = $2
      and state in ('queued', 'sending', 'sent', 'unclear')`,
    [teamId, week],
  );
  return Number(row?.n ?? 0);
};

export type DispatchCount = { week: string; state: DispatchState; dispatches: number };

/** Counts the dispatches of these weeks by state. */
export const countDispatchesByState = async (
  queries: Queries,
  teamId: string,
  { first, last }: { first: string; last: string },
): Promise<DispatchCount[]> => {
  const rows = await queries.all<DispatchCount>(
    `select week, state, count(*) as dispatches from report_deliveries
      where team_id = $1 and week >= $2 and week <= $3 group by week, state order by week, state`,
    [teamId, first, last],
  );
  return rows.map((row) => ({ ...row, dispatches: Number(row.dispatches) }));
};

/**
 * Deletes the `skipped` rows of a week's report, before it is sent after all. Deletes nothing and returns 0 if the
 * report has rows in another state, or if the skipped ones are older than `since`.
 */
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

export const listFailedInSlack = (queries: Queries, teamId: string, since: number): Promise<ReportDispatch[]> =>
  queries.all<ReportDispatch>(
    `select ${SELECTED} from report_deliveries
      where team_id = $1 and channel = 'slack' and state = 'failed' and created_at >= $2 order by week`,
    [teamId, since],
  );

export const requeueFailed = (queries: Queries, { teamId, id }: ReportDispatch): Promise<number> =>
  queries.run(
    `update report_deliveries set state = 'queued', problem = null where team_id = $1 and id = $2 and state = 'failed'`,
    [teamId, id],
  );

export const insertUnsubscribe = (queries: Queries, teamId: string, recipientHash: string, now: number) =>
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

export const deleteUnsubscribesOfTeam = (
  queries: Queries,
  teamId: string,
  pace: () => Promise<void>,
): Promise<number> =>
  deleteInPieces(
    queries,
    { from: 'report_unsubscribes', key: 'team_id, recipient_hash', where: 'team_id = $1' },
    [teamId],
    pace,
  );
