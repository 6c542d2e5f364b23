import type { Queries, Value } from '../platform/index.ts';
import type { CallState, Outcome } from './call.ts';
import type { CallEvent, Direction } from './call-event.ts';
import { UNTAKEN } from './waiting-call-store.ts';

/** A call as it is stored: both ends are sealed. */
export type CallRow = Omit<CallState, 'evidence'> & {
  id: string;
  teamId: string;
  accountId: string;
  provider: string;
  externalId: string;
  direction: Direction;
  /** The rank and the delivery that direction and ends were taken from. */
  toldBy: string | null;
  fromHash: string | null;
  fromParty: string | null;
  toHash: string | null;
  toParty: string | null;
  /** JSON. */
  evidence: string;
  markedReturnedAt: number | null;
};

export const SELECTED_CALL = `id, team_id as "teamId", account_id as "accountId", provider, external_id as "externalId", direction,
  told_by as "toldBy", from_hash as "fromHash", from_party as "fromParty", to_hash as "toHash", to_party as "toParty",
  status, outcome, evidence, started_at as "startedAt", answered_at as "answeredAt", ended_at as "endedAt",
  talk_seconds as "talkSeconds", marked_returned_at as "markedReturnedAt"`;

/** More events than this no call has; what an account makes up beyond it is not looked at. */
export const MOST_EVENTS = 1_000;

export const listCallEvents = async (queries: Queries, teamId: string, callId: string): Promise<CallEvent[]> => {
  const rows = await queries.all<{ event: string }>(
    `select event from call_events where team_id = $1 and call_id = $2 order by occurred_at, event_key limit ${MOST_EVENTS}`,
    [teamId, callId],
  );
  return rows.map(({ event }) => JSON.parse(event));
};

/** With the two ways in which a call is seen to have been returned, and with what else a list tells of it. */
export type ListedCall = CallRow & {
  calledBackAt: number | null;
  calledAgainAt: number | null;
  /** When its newest recording was archived. */
  recordedAt: number | null;
  /** What the team calls its own number in this call. */
  numberLabel: string | null;
  updatedAt: number;
};

const CALLED_BACK = `calls o where o.team_id = c.team_id and o.to_hash = c.from_hash
    and o.direction = 'outbound' and o.started_at > c.started_at`;
const CALLED_AGAIN = `calls o where o.team_id = c.team_id and o.from_hash = c.from_hash
    and o.direction = 'inbound' and o.outcome = 'answered' and o.started_at > c.started_at`;

const LISTED = `${SELECTED_CALL}, updated_at as "updatedAt",
  (select min(o.started_at) from ${CALLED_BACK}) as "calledBackAt",
  (select min(o.started_at) from ${CALLED_AGAIN}) as "calledAgainAt",
  (select max(case when r.state = 'archived' then r.archived_at end) from recordings r
    where r.team_id = c.team_id and r.account_id = c.account_id and r.call_key = c.external_id) as "recordedAt",
  (select n.label from telephony_numbers n where n.team_id = c.team_id and n.account_id = c.account_id
    and n.removed_at is null
    and n.number_hash = case when c.direction = 'inbound' then c.to_hash else c.from_hash end) as "numberLabel"`;

const STILL_WAITING = `${UNTAKEN} and marked_returned_at is null
  and not exists (select 1 from ${CALLED_BACK}) and not exists (select 1 from ${CALLED_AGAIN})`;

export const getCall = (queries: Queries, teamId: string, id: string): Promise<ListedCall | undefined> =>
  queries.get<ListedCall>(`select ${LISTED} from calls c where team_id = $1 and id = $2`, [teamId, id]);

export type CallFilter = {
  fromHash?: string;
  toHash?: string;
  direction?: Direction;
  outcome?: Outcome;
  /** Nobody took it, and it was not returned. */
  waiting?: boolean;
  /** Included. */
  since?: number;
  /** Not included. */
  until?: number;
  /** The last call of the page before. */
  after?: { startedAt: number; id: string };
};

/** Newest first. */
export const listCalls = (
  queries: Queries,
  teamId: string,
  { fromHash, toHash, direction, outcome, waiting, since, until, after }: CallFilter,
  limit: number,
): Promise<ListedCall[]> => {
  const values: Value[] = [teamId];
  const put = (value: Value): string => `$${values.push(value)}`;
  const conditions = [
    ...(fromHash === undefined ? [] : [`from_hash = ${put(fromHash)}`]),
    ...(toHash === undefined ? [] : [`to_hash = ${put(toHash)}`]),
    ...(direction === undefined ? [] : [`direction = ${put(direction)}`]),
    ...(outcome === undefined ? [] : [`outcome = ${put(outcome)}`]),
    ...(waiting ? [STILL_WAITING] : []),
    ...(since === undefined ? [] : [`started_at >= ${put(since)}`]),
    ...(until === undefined ? [] : [`started_at < ${put(until)}`]),
    ...(after === undefined ? [] : [`(started_at, id) < (${put(after.startedAt)}, ${put(after.id)})`]),
  ];
  return queries.all<ListedCall>(
    `select ${LISTED} from calls c where ${['team_id = $1', ...conditions].join(' and ')}
      order by started_at desc, id desc limit ${put(limit)}`,
    values,
  );
};

/** Answers 0 where it was marked already. */
export const markCallReturned = (
  queries: Queries,
  teamId: string,
  id: string,
  { by, now }: { by: string; now: number },
): Promise<number> =>
  queries.run(
    `update calls set marked_returned_at = $3, marked_returned_by = $4
      where team_id = $1 and id = $2 and marked_returned_at is null`,
    [teamId, id, now, by],
  );

export const listCallsWith = (
  queries: Queries,
  teamId: string,
  hash: string,
  limit: number,
): Promise<Pick<CallRow, 'id' | 'accountId' | 'externalId'>[]> =>
  queries.all(
    `select id, account_id as "accountId", external_id as "externalId" from calls
      where team_id = $1 and (from_hash = $2 or to_hash = $2) limit $3`,
    [teamId, hash, limit],
  );

export const deleteCall = async (queries: Queries, teamId: string, id: string): Promise<void> => {
  await queries.run('delete from call_events where team_id = $1 and call_id = $2', [teamId, id]);
  await queries.run('delete from calls where team_id = $1 and id = $2', [teamId, id]);
};
