import { defineRow, type Queries } from '../../platform/index.ts';
import type { CallRow } from './call-store.ts';
import { attemptsOf } from './waiting-caller-store.ts';

type Calls = { teamId: string; ids: readonly string[] };

const MARK = defineRow({ teamId: 'text', id: 'text', markedAt: 'bigint', markedBy: 'text' });

const setMark = async (
  queries: Queries,
  { teamId, ids }: Calls,
  mark: { markedAt: number; markedBy: string } | null,
): Promise<string[]> => {
  const rows = await queries.allFrom<{ id: string }>(
    MARK.toTable(ids.map((id) => ({ teamId, id, markedAt: null, markedBy: null, ...mark }))),
    `update calls set marked_returned_at = rows.marked_at, marked_returned_by = rows.marked_by from rows
      where calls.team_id = rows.team_id and calls.id = rows.id
        and calls.marked_returned_at is ${mark ? 'null' : 'not null'} returning calls.id`,
  );
  return rows.map(({ id }) => id);
};

/** Marks calls as returned. Returns the ids of those that weren't marked yet. */
export const markCallsReturned = (
  queries: Queries,
  calls: Calls,
  { by, now }: { by: string; now: number },
): Promise<string[]> => setMark(queries, calls, { markedAt: now, markedBy: by });

/** Removes marks. Returns the ids of calls that were marked. */
export const unmarkCallsReturned = (queries: Queries, calls: Calls): Promise<string[]> => setMark(queries, calls, null);

/** Lists the caller's earlier calls that also wait for a call back, newest first. */
export const listEarlierAttempts = async (
  queries: Queries,
  { teamId, id, fromHash, startedAt }: Pick<CallRow, 'teamId' | 'id' | 'fromHash' | 'startedAt'>,
  limit: number,
): Promise<string[]> => {
  const rows = await queries.all<{ id: string }>(
    `select id from ${attemptsOf({ teamId: '$1', caller: '$2' })} and (started_at, id) < ($3, $4)
      order by started_at desc, id desc limit $5`,
    [teamId, fromHash, startedAt, id, limit],
  );
  return rows.map((row) => row.id);
};

/** Lists the calls of one caller that were marked at the same moment. */
export const listMarkedTogether = async (
  queries: Queries,
  { teamId, fromHash, markedReturnedAt }: Pick<CallRow, 'teamId' | 'fromHash' | 'markedReturnedAt'>,
  limit: number,
): Promise<string[]> => {
  const rows = await queries.all<{ id: string }>(
    'select id from calls where team_id = $1 and from_hash = $2 and marked_returned_at = $3 limit $4',
    [teamId, fromHash, markedReturnedAt, limit],
  );
  return rows.map(({ id }) => id);
};
