import { defineRow, type Queries } from '../../platform/index.ts';
import { counts, WAITER_COUNTS } from '../accounts/simulated-account-store.ts';
import type { CallPlace } from './call-filter.ts';
import { SEALED_CALL, type SealedCall } from './call-list-store.ts';
import { IN_ROWS, type Named, STILL_WAITING, spokenAt, UNTAKEN } from './call-store.ts';
import type { WaitingCaller } from './waiting-caller.ts';

const CALLER = defineRow({ teamId: 'text', caller: 'text' });
/** How many of a caller's newest unanswered calls are searched for a message. */
const NEWEST = 50;

/**
 * SQL for a caller's unanswered calls since the team last spoke with them. The conditions on `started_at` limit how
 * much of the index is read, because someone may have called a hundred thousand times before.
 */
export const attemptsOf = (named: Named): string => {
  const { calledBackAt, answeredAt } = spokenAt(named);
  return `calls where team_id = ${named.teamId} and from_hash = ${named.caller} and ${UNTAKEN}
    and marked_returned_at is null and started_at >= ${calledBackAt} and started_at >= ${answeredAt} and ${counts('calls')}`;
};

const NEWEST_FIRST = 'order by started_at desc, id desc';

const HEADS = `select rows.team_id, rows.caller, c.id as call_id, c.started_at,
    (select max(case when outcome = 'voicemail' then 1 else 0 end)
      from (select outcome from ${attemptsOf(IN_ROWS)} ${NEWEST_FIRST} limit ${NEWEST}) newest) as left_message
  from rows join calls c on c.id = (select id from ${attemptsOf(IN_ROWS)} ${NEWEST_FIRST} limit 1)
  union all
  select c.team_id, c.id, c.id, c.started_at, case when outcome = 'voicemail' then 1 else 0 end
  from rows join calls c on c.id = rows.caller and c.team_id = rows.team_id
  where c.from_hash is null and ${UNTAKEN} and marked_returned_at is null`;

const AMONG = '(team_id, caller) in (select team_id, caller from rows)';

/**
 * Updates which of these callers wait for a call back. To avoid deadlocks, every transaction locks calls before
 * callers, and callers in the same order.
 */
export const refreshWaiting = async (queries: Queries, callers: readonly WaitingCaller[]): Promise<void> => {
  if (callers.length === 0) return;
  const table = CALLER.toTable([...new Map(callers.map((one) => [`${one.teamId} ${one.caller}`, one])).values()]);
  await queries.allFrom(table, `select caller from waiting_callers where ${AMONG} order by team_id, caller for update`);
  await queries.runFrom(table, `delete from waiting_callers where ${AMONG}`);
  await queries.runFrom(
    table,
    `insert into waiting_callers (team_id, caller, call_id, started_at, left_message)
      select team_id, caller, call_id, started_at, left_message from (${HEADS}) heads where true order by team_id, caller
      on conflict (team_id, caller) do update set call_id = excluded.call_id, started_at = excluded.started_at,
        left_message = excluded.left_message where excluded.started_at >= waiting_callers.started_at`,
  );
};

const WAITING = `waiting_callers w join calls c on c.id = w.call_id and c.team_id = w.team_id
  where w.team_id = $1 and ${STILL_WAITING}`;

/** Order of waiting callers by their newest call. */
export type WaitingOrder = 'newest' | 'oldest';

const IN_ORDER: Readonly<Record<WaitingOrder, { isAfter: '<' | '>'; direction: 'asc' | 'desc'; start: number }>> = {
  newest: { isAfter: '<', direction: 'desc', start: Number.MAX_SAFE_INTEGER },
  oldest: { isAfter: '>', direction: 'asc', start: -1 },
};

/** Lists the newest call of each waiting caller. */
export const listWaitingCallers = (
  queries: Queries,
  teamId: string,
  { after, limit, order }: { after: CallPlace | undefined; limit: number; order: WaitingOrder },
): Promise<SealedCall[]> => {
  const { isAfter, direction, start } = IN_ORDER[order];
  return queries.all<SealedCall>(
    `select ${SEALED_CALL} from ${WAITING} and (w.started_at, w.call_id) ${isAfter} ($2, $3)
      order by w.started_at ${direction}, w.call_id ${direction} limit $4`,
    [teamId, after?.startedAt ?? start, after?.id ?? '', limit],
  );
};

/** How many callers are read beyond the limit. If all are found, the limit is reached even if this many don't wait. */
const SPARE = 10;

/**
 * SQL for which of the `newest` callers still wait. Every page shows how many there are, so this reads only indexes,
 * and not the calls themselves. Nothing is checked if there are `SPARE` callers more than the limit.
 */
const COUNTED = `newest w where (select count(*) from newest) >= cast($2 as bigint) + ${SPARE}
  or (not exists (select 1 from calls o where o.team_id = w.team_id and o.to_hash = w.caller
      and o.direction = 'outbound' and o.started_at > w.started_at and ${counts('o')})
    and not exists (select 1 from calls o where o.team_id = w.team_id and o.from_hash = w.caller
      and o.direction = 'inbound' and o.outcome = 'answered' and o.started_at > w.started_at and ${counts('o')}))`;

/** Counts waiting callers up to a limit, and how many of these left a message. */
export const countWaitingCallers = async (
  queries: Queries,
  teamId: string,
  most: number,
): Promise<{ callers: number; messages: number }> => {
  const row = await queries.get<{ callers: number; messages: number }>(
    `with newest as (
        select w.team_id, w.caller, w.call_id, w.started_at, w.left_message from waiting_callers w
        where w.team_id = $1 and ${WAITER_COUNTS} order by w.started_at desc, w.call_id desc limit cast($2 as bigint) + ${SPARE})
      select count(*) as callers, cast(coalesce(sum(left_message), 0) as bigint) as messages from (
        select w.left_message from ${COUNTED} order by w.started_at desc, w.call_id desc limit $2) few`,
    [teamId, most],
  );
  return { callers: row?.callers ?? 0, messages: row?.messages ?? 0 };
};

/** Counts the unanswered calls of each of these callers, up to a limit. */
export const countAttempts = async (
  queries: Queries,
  callers: readonly WaitingCaller[],
  most: number,
): Promise<Map<string, number>> => {
  if (callers.length === 0) return new Map();
  const rows = await queries.allFrom<{ caller: string; attempts: number }>(
    CALLER.toTable(callers),
    `select rows.caller, (select count(*) from (select 1 as one from ${attemptsOf(IN_ROWS)} limit ${most}) few) as attempts
      from rows`,
  );
  return new Map(rows.map(({ caller, attempts }) => [caller, attempts]));
};
