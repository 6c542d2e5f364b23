import type { Queries } from '../../platform/index.ts';
import { COUNTS, counts } from '../accounts/simulated-account-store.ts';
import type { CallFact, Direction } from '../contract/call-fact.ts';
import { NAMED_AT } from '../people/person-store.ts';
import type { CallState } from './call.ts';
import { MOST_FACTS } from './pick-new-facts.ts';

/** SQL for the rule of `isUntaken`. */
export const UNTAKEN = "direction = 'inbound' and outcome is not null and outcome not in ('answered', 'unknown')";

/** A call as it is stored: caller and callee are sealed. */
export type CallRow = Omit<CallState, 'evidence'> & {
  id: string;
  teamId: string;
  accountId: string;
  provider: string;
  externalId: string;
  direction: Direction;
  /**
   * Which delivery reported the direction, caller, and callee: its rank (see `toEnds`), and its position among
   * deliveries of that rank.
   */
  toldBy: string | null;
  fromHash: string | null;
  fromParty: string | null;
  toHash: string | null;
  toParty: string | null;
  /** Keys of the events that decided the outcome, as JSON. */
  evidence: string;
  markedReturnedAt: number | null;
};

export const SELECTED_CALL = `id, team_id as "teamId", account_id as "accountId", provider, external_id as "externalId", direction,
  told_by as "toldBy", from_hash as "fromHash", from_party as "fromParty", to_hash as "toHash", to_party as "toParty",
  status, outcome, evidence, started_at as "startedAt", answered_at as "answeredAt", ended_at as "endedAt",
  talk_seconds as "talkSeconds", marked_returned_at as "markedReturnedAt"`;

export const listFacts = async (queries: Queries, teamId: string, callId: string): Promise<CallFact[]> => {
  const rows = await queries.all<{ event: string }>(
    `select event from call_events where team_id = $1 and call_id = $2 order by occurred_at, event_key limit ${MOST_FACTS}`,
    [teamId, callId],
  );
  return rows.map(({ event }) => JSON.parse(event));
};

/**
 * A call with additional fields for lists. After an unanswered call, `calledBackAt` is when the team first called the
 * caller, and `calledAgainAt` is when the caller first called again and was answered.
 */
export type ListedCall = CallRow & {
  calledBackAt: number | null;
  calledAgainAt: number | null;
  /** When the call's newest recording was archived. */
  recordedAt: number | null;
  /** When the newest transcript of the call's recordings was ready. */
  transcribedAt: number | null;
  /** The team's label for its own number in this call. */
  numberLabel: string | null;
  updatedAt: number;
  /** When the name of the other party last changed. Null if nobody has looked. */
  namedAt: number | null;
  /** 1 if a simulation made the call. */
  simulated: number | null;
  /** 0 for a demo call that no longer counts (see `counts`), otherwise 1. */
  counts: number;
};

const CALLED_BACK = `calls o where o.team_id = c.team_id and o.to_hash = c.from_hash
    and o.direction = 'outbound' and o.started_at > c.started_at and ${counts('o')}`;
const CALLED_AGAIN = `calls o where o.team_id = c.team_id and o.from_hash = c.from_hash
    and o.direction = 'inbound' and o.outcome = 'answered' and o.started_at > c.started_at and ${counts('o')}`;

const lastOf = (calls: string): string =>
  `coalesce((select o.started_at from ${calls} and ${counts('o')} order by o.started_at desc limit 1), 0)`;

/** SQL expressions for a caller and their team. */
export type Named = { teamId: string; caller: string };
export const IN_ROWS: Named = { teamId: 'rows.team_id', caller: 'rows.caller' };

/** SQL for when the team last called the caller back, and when the caller last got through. */
export const spokenAt = ({ teamId, caller }: Named): { calledBackAt: string; answeredAt: string } => ({
  calledBackAt: lastOf(`calls o where o.team_id = ${teamId} and o.to_hash = ${caller} and o.direction = 'outbound'`),
  answeredAt: lastOf(
    `calls o where o.team_id = ${teamId} and o.from_hash = ${caller} and o.direction = 'inbound' and o.outcome = 'answered'`,
  ),
});

/**
 * SQL for when the first of these calls started. Null unless `c` is an unanswered inbound call: for an outbound call,
 * `c.from_hash` is the team's own number, and the query would read every call to that number.
 */
const firstIfUntaken = (calls: string): string =>
  `case when ${UNTAKEN} then (select o.started_at from ${calls} order by o.started_at limit 1) end`;

const RETURNS = `${firstIfUntaken(CALLED_BACK)} as "calledBackAt",
  ${firstIfUntaken(CALLED_AGAIN)} as "calledAgainAt"`;

export const LISTED = `${SELECTED_CALL}, updated_at as "updatedAt", ${RETURNS}, ${NAMED_AT} as "namedAt",
  (select a.simulated from telephony_accounts a where a.id = c.account_id) as simulated,
  case when ${COUNTS} then 1 else 0 end as counts,
  (select max(r.archived_at) from recordings r where r.team_id = c.team_id and r.account_id = c.account_id
    and r.call_key = c.external_id and r.state = 'archived') as "recordedAt",
  (select max(t.settled_at) from recordings r join transcripts t on t.recording_id = r.id and t.team_id = r.team_id
    where r.team_id = c.team_id and r.account_id = c.account_id and r.call_key = c.external_id
    and t.state = 'ready') as "transcribedAt",
  (select n.label from telephony_numbers n where n.team_id = c.team_id and n.account_id = c.account_id
    and n.removed_at is null
    and n.number_hash = case when c.direction = 'inbound' then c.to_hash else c.from_hash end) as "numberLabel"`;

export const STILL_WAITING = `${UNTAKEN} and marked_returned_at is null
  and not exists (select 1 from ${CALLED_BACK}) and not exists (select 1 from ${CALLED_AGAIN}) and ${COUNTS}`;

const OWNED = { team_id: 'text', id: 'text' } as const;
export const NEWEST_FIRST = 'order by started_at desc, id desc';

/** Lists calls by their ids, newest first. */
export const listById = <Row extends object>(
  queries: Queries,
  { selected, teamId, ids }: { selected: string; teamId: string; ids: readonly string[] },
): Promise<Row[]> =>
  ids.length === 0
    ? Promise.resolve([])
    : queries.allFrom<Row>(
        { columns: OWNED, rows: ids.map((id) => [teamId, id]) },
        `select ${selected} from calls c where id in (
          select known.id from rows join calls known on known.id = rows.id and known.team_id = rows.team_id) ${NEWEST_FIRST}`,
      );

export const listCallsById = (queries: Queries, teamId: string, ids: readonly string[]): Promise<ListedCall[]> =>
  listById<ListedCall>(queries, { selected: LISTED, teamId, ids });

export const getCall = (queries: Queries, teamId: string, id: string): Promise<ListedCall | undefined> =>
  queries.get<ListedCall>(`select ${LISTED} from calls c where team_id = $1 and id = $2`, [teamId, id]);

/** Lists when each of these calls was first returned by another call. */
export const listReturns = (
  queries: Queries,
  calls: readonly Pick<CallRow, 'id' | 'teamId'>[],
): Promise<Pick<ListedCall, 'id' | 'calledBackAt' | 'calledAgainAt'>[]> =>
  queries.allFrom(
    { columns: OWNED, rows: calls.map(({ teamId, id }) => [teamId, id]) },
    `select c.id, ${RETURNS} from rows join calls c on c.id = rows.id and c.team_id = rows.team_id`,
  );

/** Lists which of these calls need no call back. */
export const listNotWaiting = async (queries: Queries, teamId: string, ids: readonly string[]): Promise<string[]> => {
  const rows = await queries.allFrom<{ id: string }>(
    { columns: OWNED, rows: ids.map((id) => [teamId, id]) },
    `select c.id from rows join calls c on c.id = rows.id and c.team_id = rows.team_id where not (${STILL_WAITING})`,
  );
  return rows.map(({ id }) => id);
};

/**
 * Lists the calls that a number made and the calls that it received, each up to the limit. They are read separately,
 * because each has its own index.
 */
export const listCallsWith = (
  queries: Queries,
  teamId: string,
  hash: string,
  limit: number,
): Promise<Pick<CallRow, 'id' | 'accountId' | 'externalId'>[]> =>
  queries.all(
    `select * from (select id, account_id as "accountId", external_id as "externalId" from calls
        where team_id = $1 and from_hash = $2 limit $3) made
      union all
      select * from (select id, account_id as "accountId", external_id as "externalId" from calls
        where team_id = $1 and to_hash = $2 and (from_hash is null or from_hash <> $2) limit $3) received`,
    [teamId, hash, limit],
  );

const PIECE = 200;

/** Deletes the facts of a call piece by piece, so that other work runs in between. */
export const deleteFacts = async (queries: Queries, teamId: string, id: string): Promise<void> => {
  const events = 'from call_events where team_id = $1 and call_id = $2';
  const deletePiece = () =>
    queries.run(`delete ${events} and event_key in (select event_key ${events} limit ${PIECE})`, [teamId, id]);
  while ((await deletePiece()) === PIECE);
};

/** Deletes a call. Returns the hashes of its numbers, which are null if private, or undefined if the call is gone. */
export const deleteCall = async (
  queries: Queries,
  teamId: string,
  id: string,
): Promise<Pick<CallRow, 'fromHash' | 'toHash'> | undefined> => {
  await deleteFacts(queries, teamId, id);
  const rows = await queries.all<Pick<CallRow, 'fromHash' | 'toHash'>>(
    'delete from calls where team_id = $1 and id = $2 returning from_hash as "fromHash", to_hash as "toHash"',
    [teamId, id],
  );
  return rows[0];
};

const CALLS_PAGE = 50;

/** Deletes a team's calls and their events. */
export const deleteCallsOfTeam = async (queries: Queries, teamId: string, pace: () => Promise<void>): Promise<void> => {
  const listPage = () =>
    queries.all<{ id: string }>(`select id from calls where team_id = $1 limit ${CALLS_PAGE}`, [teamId]);
  for (let page = await listPage(); page.length > 0; page = await listPage()) {
    const calls = { columns: OWNED, rows: page.map(({ id }) => [teamId, id]) };
    const deleteEvents = () =>
      queries.runFrom(
        calls,
        `delete from call_events where (call_id, event_key) in (select e.call_id, e.event_key
          from rows join call_events e on e.call_id = rows.id and e.team_id = rows.team_id limit ${PIECE})`,
      );
    while ((await deleteEvents()) === PIECE) await pace();
    await queries.runFrom(
      calls,
      'delete from calls where id in (select c.id from rows join calls c on c.id = rows.id and c.team_id = rows.team_id)',
    );
    await pace();
  }
};
