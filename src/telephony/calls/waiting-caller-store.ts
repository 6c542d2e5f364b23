import { defineRow, type Queries } from '../../platform/index.ts';
import { type Place, SEALED_CALL, type SealedCall, STILL_WAITING, UNTAKEN } from './call-store.ts';
import type { Caller } from './waiting-caller.ts';

const CALLER = defineRow({ teamId: 'text', caller: 'text' });
/** How many of a caller's newest attempts are searched for a message. */
const NEWEST = 50;

const lastOf = (calls: string): string =>
  `coalesce((select o.started_at from ${calls} order by o.started_at desc limit 1), 0)`;

/** When the team last called them back, and when they last got through. */
const spokenAt = (of: string): { calledBackAt: string; answeredAt: string } => ({
  calledBackAt: lastOf(
    `calls o where o.team_id = ${of}.team_id and o.to_hash = ${of}.caller and o.direction = 'outbound'`,
  ),
  answeredAt: lastOf(
    `calls o where o.team_id = ${of}.team_id and o.from_hash = ${of}.caller and o.direction = 'inbound' and o.outcome = 'answered'`,
  ),
});

/** The calls that a caller made in vain since the team last spoke with them. */
const attemptsOf = (of: string): string => {
  const { calledBackAt, answeredAt } = spokenAt(of);
  return `calls where team_id = ${of}.team_id and from_hash = ${of}.caller and ${UNTAKEN}
    and marked_returned_at is null and started_at >= ${calledBackAt} and started_at >= ${answeredAt}`;
};

const NEWEST_FIRST = 'order by started_at desc, id desc';

const HEADS = `select rows.team_id, rows.caller, c.id as call_id, c.started_at,
    (select max(case when outcome = 'voicemail' then 1 else 0 end)
      from (select outcome from ${attemptsOf('rows')} ${NEWEST_FIRST} limit ${NEWEST}) newest) as left_message
  from rows join calls c on c.id = (select id from ${attemptsOf('rows')} ${NEWEST_FIRST} limit 1)
  union all
  select c.team_id, c.id, c.id, c.started_at, case when outcome = 'voicemail' then 1 else 0 end
  from rows join calls c on c.id = rows.caller and c.team_id = rows.team_id
  where c.from_hash is null and ${UNTAKEN} and marked_returned_at is null`;

const AMONG = '(team_id, caller) in (select team_id, caller from rows)';

/**
 * Finds out again who of these callers waits. Calls are locked before callers, here and everywhere, and callers in one
 * order, so that two processes never wait for each other.
 */
export const refreshWaiting = async (queries: Queries, callers: readonly Caller[]): Promise<void> => {
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

/** The newest call of each caller who waits, newest first. */
export const listWaitingCallers = (
  queries: Queries,
  teamId: string,
  after: Place | undefined,
  limit: number,
): Promise<SealedCall[]> =>
  queries.all<SealedCall>(
    `select ${SEALED_CALL} from ${WAITING} and (w.started_at, w.call_id) < ($2, $3)
      order by w.started_at desc, w.call_id desc limit $4`,
    [teamId, after?.startedAt ?? Number.MAX_SAFE_INTEGER, after?.id ?? '', limit],
  );

/** How many callers wait, and how many of them left a message; counted up to a limit. */
export const countWaitingCallers = async (
  queries: Queries,
  teamId: string,
  most: number,
): Promise<{ callers: number; messages: number }> => {
  const count = async (condition: string): Promise<number> => {
    const row = await queries.get<{ n: number }>(
      `select count(*) as n from (select 1 as one from ${WAITING} ${condition}
        order by w.started_at desc, w.call_id desc limit $2) few`,
      [teamId, most],
    );
    return row?.n ?? 0;
  };
  const [callers, messages] = [await count(''), await count('and w.left_message = 1')];
  return { callers, messages };
};

/** How often each of these callers has called in vain, counted up to a limit. */
export const countAttempts = async (
  queries: Queries,
  callers: readonly Caller[],
  most: number,
): Promise<Map<string, number>> => {
  if (callers.length === 0) return new Map();
  const rows = await queries.allFrom<{ caller: string; attempts: number }>(
    CALLER.toTable(callers),
    `select rows.caller, (select count(*) from (select 1 as one from ${attemptsOf('rows')} limit ${most}) few) as attempts
      from rows`,
  );
  return new Map(rows.map(({ caller, attempts }) => [caller, attempts]));
};
