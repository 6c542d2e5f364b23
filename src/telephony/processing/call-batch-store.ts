import { createRowTable, type Queries } from '../../platform/index.ts';
import { type CallRow, SELECTED_CALL } from '../calls/call-store.ts';
import type { CallEvent } from '../contract/call-event.ts';

/** Identifies a call: its account, and the provider's id for it. */
export type CallName = Pick<CallRow, 'teamId' | 'accountId' | 'externalId'>;

const namesOf = createRowTable({ teamId: 'text', accountId: 'text', externalId: 'text' });

/** Through a join; otherwise SQLite would search every account for every call. */
const NAMED = `id in (select c.id from rows join calls c
  on c.account_id = rows.account_id and c.external_id = rows.external_id and c.team_id = rows.team_id)`;

/** Which delivery each known call was reported by. */
export const listToldBy = (queries: Queries, calls: readonly CallName[]) =>
  queries.allFrom<Pick<CallRow, 'accountId' | 'externalId' | 'toldBy'>>(
    namesOf(calls),
    `select account_id as "accountId", external_id as "externalId", told_by as "toldBy" from calls where ${NAMED}`,
  );

/**
 * The known calls, locked until the transaction ends, so that two writers never miss each other's facts. Always locked
 * in the same order to avoid deadlocks.
 */
export const lockCalls = (queries: Queries, calls: readonly CallName[]): Promise<CallRow[]> =>
  queries.allFrom<CallRow>(
    namesOf(calls),
    `select ${SELECTED_CALL} from calls where ${NAMED} order by account_id, external_id for update`,
  );

const toTable = createRowTable({
  id: 'text',
  teamId: 'text',
  accountId: 'text',
  provider: 'text',
  externalId: 'text',
  direction: 'text',
  toldBy: 'text',
  fromHash: 'text',
  fromParty: 'text',
  toHash: 'text',
  toParty: 'text',
  status: 'text',
  outcome: 'text',
  evidence: 'text',
  startedAt: 'bigint',
  answeredAt: 'bigint',
  endedAt: 'bigint',
  talkSeconds: 'bigint',
  updatedAt: 'bigint',
});

const tableOf = (calls: readonly CallRow[], updatedAt: number) =>
  toTable(calls.map((call) => ({ ...call, updatedAt })));

/** Returns the ids of the new ones; another process may have inserted the others first. */
export const insertCalls = async (queries: Queries, calls: readonly CallRow[], now: number): Promise<Set<string>> => {
  const table = tableOf(calls, now);
  const names = Object.keys(table.columns).join(', ');
  const inserted = await queries.allFrom<{ id: string }>(
    table,
    `insert into calls (${names}) select ${names} from rows where true
      on conflict (account_id, external_id) do nothing returning id`,
  );
  return new Set(inserted.map(({ id }) => id));
};

export const updateCalls = (queries: Queries, calls: readonly CallRow[], now: number): Promise<number> =>
  queries.runFrom(
    tableOf(calls, now),
    `update calls set direction = rows.direction, told_by = rows.told_by, from_hash = rows.from_hash,
      from_party = rows.from_party, to_hash = rows.to_hash, to_party = rows.to_party, status = rows.status,
      outcome = rows.outcome, evidence = rows.evidence, started_at = rows.started_at, answered_at = rows.answered_at,
      ended_at = rows.ended_at, talk_seconds = rows.talk_seconds, updated_at = rows.updated_at
      from rows where calls.team_id = rows.team_id and calls.id = rows.id`,
  );

export type ToldEvent = { callId: string; teamId: string; deliveryId: string; event: CallEvent };

const toEventTable = createRowTable({
  callId: 'text',
  eventKey: 'text',
  teamId: 'text',
  deliveryId: 'text',
  event: 'text',
  occurredAt: 'bigint',
});

/** Each fact once, however often it is reported. */
export const insertCallEvents = (queries: Queries, told: readonly ToldEvent[]): Promise<number> =>
  queries.runFrom(
    toEventTable(
      told.map(({ event, ...whose }) => ({
        ...whose,
        eventKey: event.key,
        event: JSON.stringify(event),
        occurredAt: event.occurredAt,
      })),
    ),
    `insert into call_events (call_id, event_key, team_id, delivery_id, event, occurred_at)
      select call_id, event_key, team_id, delivery_id, event, occurred_at from rows where true on conflict do nothing`,
  );

/** The events of several calls, by call id. */
export const listEventsOfCalls = async (
  queries: Queries,
  calls: readonly Pick<CallRow, 'id' | 'teamId'>[],
): Promise<Map<string, CallEvent[]>> => {
  const rows = await queries.allFrom<{ callId: string; event: string }>(
    { columns: { team_id: 'text', call_id: 'text' }, rows: calls.map(({ teamId, id }) => [teamId, id]) },
    `select e.call_id as "callId", e.event
      from rows join call_events e on e.call_id = rows.call_id and e.team_id = rows.team_id`,
  );
  const events = new Map<string, CallEvent[]>(calls.map(({ id }) => [id, []]));
  for (const { callId, event } of rows) events.get(callId)?.push(JSON.parse(event));
  return events;
};
