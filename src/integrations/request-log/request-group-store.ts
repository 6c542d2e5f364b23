import { deleteInPieces, firstIdAt, type InsertTarget, type Queries, type Value } from '../../platform/index.ts';
import type { RequestSource } from './logged-request.ts';

/** A group as it's stored. `requests` is sealed, and `id` is the ID of the newest request. */
export type StoredGroup = RequestSource & {
  id: string;
  oldestId: string;
  caller: string;
  requests: string;
  number: number;
  failures: number;
};

const COLUMNS = {
  id: 'id',
  oldestId: 'oldest_id',
  teamId: 'team_id',
  connectionId: 'connection_id',
  provider: 'provider',
  connection: 'connection',
  accountId: 'account_id',
  accountLabel: 'account_label',
  kind: 'kind',
  via: 'via',
  caller: 'caller',
  tokenId: 'token_id',
  tokenName: 'token_name',
  userId: 'user_id',
  requests: 'requests',
  number: 'number',
  failures: 'failures',
} as const satisfies Record<keyof StoredGroup, string>;

const FIELDS = Object.keys(COLUMNS) as (keyof StoredGroup)[];
const NUMBERS = new Set<keyof StoredGroup>(['number', 'failures']);

export const REQUEST_GROUPS: InsertTarget = {
  table: 'request_groups',
  columns: Object.fromEntries(FIELDS.map((field) => [COLUMNS[field], NUMBERS.has(field) ? 'bigint' : 'text'])),
  id: 'id',
  onConflict: 'fail',
};

export const groupRow = (group: StoredGroup): Value[] => FIELDS.map((field) => group[field]);

/** Which groups to list. */
export type GroupFilter = {
  provider?: string | undefined;
  connection?: string | undefined;
  /** Who called, as `callerKeyOf` says it: for an access token, its ID. */
  caller?: string | undefined;
  failed?: boolean | undefined;
};

/** Both engines find a caller's groups through their index with this. SQLite would otherwise read the whole team's. */
const OF_CALLER = '(caller, id) >= ($5, $2) and (caller, id) < ($5, $3)';

/** Lists a team's groups, newest first, whose newest request is between two IDs. */
export const listGroups = (
  queries: Queries,
  teamId: string,
  { provider, connection, caller, failed }: GroupFilter,
  { from, before, limit }: { from: string; before: string; limit: number },
): Promise<StoredGroup[]> => {
  const values: Value[] = [teamId, from, before, limit];
  const range = caller === undefined ? 'id >= $2 and id < $3' : OF_CALLER;
  if (caller !== undefined) values.push(caller);
  const whereEqual = (column: string, value: string | undefined): string =>
    value === undefined ? '' : `and ${column} = $${values.push(value)}`;
  const where = [
    whereEqual('provider', provider),
    whereEqual('connection', connection),
    failed ? 'and failures > 0' : '',
  ];
  return queries.all<StoredGroup>(
    `select ${FIELDS.map((field) => `${COLUMNS[field]} as "${field}"`).join(', ')} from request_groups
      where team_id = $1 and ${range} ${where.join(' ')}
      order by ${caller === undefined ? '' : 'caller desc, '}id desc limit $4`,
    values,
  );
};

export type CallerCount = Pick<RequestSource, 'userId' | 'via'> & { caller: string; number: number };

/** Counts a team's requests by caller. `userId` and `via` say who that is. */
export const countByCaller = (queries: Queries, teamId: string): Promise<CallerCount[]> =>
  queries.all<CallerCount>(
    `select caller, min(user_id) as "userId", min(via) as via, cast(sum(number) as bigint) as number
      from request_groups where team_id = $1 group by caller`,
    [teamId],
  );

/** Lists the oldest groups of a team, or of one of its callers. */
export const listOldestGroups = (
  queries: Queries,
  teamId: string,
  caller: string | null,
  limit: number,
): Promise<{ id: string; number: number }[]> =>
  caller === null
    ? queries.all('select id, number from request_groups where team_id = $1 order by id limit $2', [teamId, limit])
    : queries.all('select id, number from request_groups where team_id = $1 and caller = $2 order by id limit $3', [
        teamId,
        caller,
        limit,
      ]);

/** Deletes these groups of a team. */
export const deleteGroups = (queries: Queries, teamId: string, ids: readonly string[]): Promise<number> =>
  queries.runFrom(
    { columns: { team_id: 'text', id: 'text' }, rows: ids.map((id) => [teamId, id]) },
    'delete from request_groups where (team_id, id) in (select team_id, id from rows)',
  );

/** Deletes groups of all teams that ended before an instant. */
export const deleteGroupsBefore = (queries: Queries, before: number): Promise<number> =>
  deleteInPieces(queries, { from: 'request_groups', key: 'id', where: 'id < $1' }, [firstIdAt(before)]);

export const deleteGroupsOfTeam = (queries: Queries, teamId: string, pace: () => Promise<void>): Promise<number> =>
  deleteInPieces(queries, { from: 'request_groups', key: 'id', where: 'team_id = $1' }, [teamId], pace);
