import { defineRow, type Queries } from '../../platform/index.ts';
import { type CallRow, SELECTED_CALL } from '../calls/call-store.ts';
import type { CallFact } from '../contract/call-fact.ts';
import { EXTERNAL, type ExternalName, insertNewRows, listNamed, lockNamed, updateRows } from './external-row-store.ts';

/** Lists which of the calls exist, with the rank of the delivery that named caller and callee (see `toEnds`). */
export const listToldBy = (queries: Queries, calls: readonly ExternalName[]) =>
  listNamed<Pick<CallRow, 'accountId' | 'externalId' | 'toldBy'>>(queries, calls, {
    selected: 'account_id as "accountId", external_id as "externalId", told_by as "toldBy"',
    from: 'calls',
  });

export const lockCalls = (queries: Queries, calls: readonly ExternalName[]) =>
  lockNamed<CallRow>(queries, calls, { selected: SELECTED_CALL, from: 'calls' });

const CALL = defineRow({
  ...EXTERNAL,
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
  CALL.toTable(calls.map((call) => ({ ...call, updatedAt })));

export const insertCalls = (queries: Queries, calls: readonly CallRow[], now: number): Promise<Set<string>> =>
  insertNewRows(queries, 'calls', tableOf(calls, now));

export const updateCalls = (queries: Queries, calls: readonly CallRow[], now: number): Promise<number> =>
  updateRows(queries, 'calls', tableOf(calls, now));

export type ToldFact = { callId: string; teamId: string; deliveryId: string; fact: CallFact };

const FACT = defineRow({
  callId: 'text',
  eventKey: 'text',
  teamId: 'text',
  deliveryId: 'text',
  event: 'text',
  occurredAt: 'bigint',
});

/** Inserts each fact once, however often it is reported. */
export const insertFacts = (queries: Queries, told: readonly ToldFact[]): Promise<number> =>
  queries.runFrom(
    FACT.toTable(
      told.map(({ fact, ...whose }) => ({
        ...whose,
        eventKey: fact.key,
        event: JSON.stringify(fact),
        occurredAt: fact.occurredAt,
      })),
    ),
    `insert into call_events (call_id, event_key, team_id, delivery_id, event, occurred_at)
      select call_id, event_key, team_id, delivery_id, event, occurred_at from rows where true on conflict do nothing`,
  );

/** Lists the facts about several calls, by call id. */
export const listFactsOfCalls = async (
  queries: Queries,
  calls: readonly Pick<CallRow, 'id' | 'teamId'>[],
): Promise<Map<string, CallFact[]>> => {
  const rows = await queries.allFrom<{ callId: string; event: string }>(
    { columns: { team_id: 'text', call_id: 'text' }, rows: calls.map(({ teamId, id }) => [teamId, id]) },
    `select e.call_id as "callId", e.event
      from rows join call_events e on e.call_id = rows.call_id and e.team_id = rows.team_id`,
  );
  const facts = new Map<string, CallFact[]>(calls.map(({ id }) => [id, []]));
  for (const { callId, event } of rows) facts.get(callId)?.push(JSON.parse(event));
  return facts;
};
