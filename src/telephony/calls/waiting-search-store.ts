import { defineRow, type Queries } from '../../platform/index.ts';
import { COUNTS } from '../accounts/simulated-account-store.ts';
import type { CallPlace, Wish } from './call-filter.ts';
import { IN_ROWS, NEWEST_FIRST, spokenAt, UNTAKEN } from './call-store.ts';

/** How many callers one statement reads. */
const PIECE = 100;

const CALLER = defineRow({
  ...{ teamId: 'text', caller: 'text', wanted: 'text', since: 'bigint', beforeAt: 'bigint', beforeId: 'text' },
});

const { calledBackAt, answeredAt } = spokenAt(IN_ROWS);

const IS_WANTED = `${UNTAKEN} and marked_returned_at is null and outcome = coalesce(rows.wanted, outcome)
  and c.started_at >= rows.since and ${COUNTS}
  and (c.started_at, c.id) < (rows.before_at, rows.before_id)`;

/**
 * SQL for the unanswered calls of these callers since the team last spoke with them. A private number has no hash, so
 * each call from one is treated as a caller of its own.
 */
const attemptsOf = (limit: number): string => `select id, started_at as "startedAt" from (
    select c.id, c.started_at from rows join calls c on c.team_id = rows.team_id and c.from_hash = rows.caller
    where ${IS_WANTED} and c.started_at >= ${calledBackAt} and c.started_at >= ${answeredAt}
    union all
    select c.id, c.started_at from rows join calls c on c.id = rows.caller and c.team_id = rows.team_id
    where c.from_hash is null and ${IS_WANTED}) attempts ${NEWEST_FIRST} limit ${limit}`;

const listWaiting = (
  queries: Queries,
  teamId: string,
  after: CallPlace | undefined,
): Promise<(CallPlace & { caller: string })[]> =>
  queries.all(
    `select caller, started_at as "startedAt", call_id as id from waiting_callers
      where team_id = $1 and (started_at, call_id) < ($2, $3)
      order by started_at desc, call_id desc limit ${PIECE}`,
    [teamId, after?.startedAt ?? Number.MAX_SAFE_INTEGER, after?.id ?? ''],
  );

const byTime = (left: CallPlace, right: CallPlace): number =>
  right.startedAt - left.startedAt || (left.id < right.id ? 1 : -1);

/** Returns the position, by time and id, before which the wanted calls started. */
const endOf = ({ until, after }: Wish['filter']): { beforeAt: number; beforeId: string } =>
  after !== undefined && (until === undefined || after.startedAt < until)
    ? { beforeAt: after.startedAt, beforeId: after.id }
    : { beforeAt: until ?? Number.MAX_SAFE_INTEGER, beforeId: '' };

/**
 * Finds calls that wait for a call back, by their callers. Each step reads some more callers, ordered by their newest
 * call. Callers that aren't read yet have only calls older than the last caller's newest one, so the search is done
 * once enough newer calls are found. Until then, a step returns null.
 */
export const startCallerSearch = (
  queries: Queries,
  { teamId, filter, limit }: Wish,
): (() => Promise<string[] | null>) => {
  const bounds = { teamId, wanted: filter.outcome ?? null, since: filter.since ?? 0, ...endOf(filter) };
  let last: CallPlace | undefined;
  let found: CallPlace[] = [];
  return async () => {
    const callers = await listWaiting(queries, teamId, last);
    last = callers.at(-1);
    if (callers.length > 0) {
      const table = CALLER.toTable(callers.map(({ caller }) => ({ ...bounds, caller })));
      found.push(...(await queries.allFrom<CallPlace>(table, attemptsOf(limit))));
      found = found.toSorted(byTime).slice(0, limit);
    }
    const oldest = found.length === limit ? found.at(-1) : undefined;
    const isThrough =
      !last || callers.length < PIECE || last.startedAt < Math.max(bounds.since, oldest?.startedAt ?? 0);
    return isThrough ? found.map(({ id }) => id) : null;
  };
};
