import type { Transaction } from '../../platform/index.ts';
import { assembleCall } from '../calls/call.ts';
import { toCallEvents } from '../calls/call-event.ts';
import type { Parties } from '../calls/call-parties.ts';
import type { CallRow } from '../calls/call-store.ts';
import { pickNewFacts } from '../calls/pick-new-facts.ts';
import { listConcerned } from '../calls/waiting-caller.ts';
import { refreshWaiting } from '../calls/waiting-caller-store.ts';
import type { TelephonyContext } from '../context.ts';
import type { CallFact } from '../contract/call-fact.ts';
import {
  insertCalls,
  insertFacts,
  listFactsOfCalls,
  lockCalls,
  type ToldFact,
  updateCalls,
} from './call-batch-store.ts';
import { nameOf } from './external-row-store.ts';
import { type CallUpdate, isBetter } from './prepare-calls.ts';

/** Creates a call about which nothing is known yet. */
export const beginCall = (
  id: string,
  {
    teamId,
    accountId,
    externalId,
    provider,
    receivedAt,
  }: Omit<CallUpdate, 'deliveries' | 'facts' | 'ends' | 'parties'>,
): CallRow => ({
  id,
  teamId,
  accountId,
  provider,
  externalId,
  direction: 'inbound',
  toldBy: null,
  fromHash: null,
  fromParty: null,
  toHash: null,
  toParty: null,
  status: 'ringing',
  outcome: null,
  evidence: '[]',
  startedAt: receivedAt,
  answeredAt: null,
  endedAt: null,
  talkSeconds: null,
  markedReturnedAt: null,
});

/** Rebuilds the call from everything known about it. */
const assemble = (before: CallRow, { ends }: CallUpdate, facts: readonly CallFact[]): CallRow => {
  const call = ends && isBetter(ends.toldBy, before.toldBy) ? { ...before, ...ends } : before;
  const { evidence, ...state } = assembleCall(call, facts);
  const startedAt = facts.length > 0 ? state.startedAt : call.startedAt;
  return { ...call, ...state, startedAt, evidence: JSON.stringify(evidence) };
};

type Change = {
  update: CallUpdate;
  before: CallRow | null;
  call: CallRow;
  parties: Parties | null;
  added: readonly ToldFact[];
};

const addTo = (before: CallRow, update: CallUpdate, known: readonly CallFact[]): Omit<Change, 'before'> => {
  const { id: callId, teamId } = before;
  const picked = pickNewFacts(known, update.facts.values());
  const facts = [...known, ...picked.map(({ fact }) => fact)];
  const call = assemble(before, update, facts);
  return {
    update,
    call,
    parties: call.toldBy === update.ends?.toldBy ? update.parties : null,
    added: picked.map((told) => ({ callId, teamId, ...told })),
  };
};

const callsOf = (changes: readonly Change[]): CallRow[] => changes.map(({ call }) => call);

/**
 * Adds what deliveries say to their calls. Safe to repeat with the same delivery, even by two processes at once: facts
 * are added under a lock on the call's row, and each only once. Returns the updates of new calls that another process
 * inserted first. Store these in a new transaction: locking their rows now, after others, could lead to a deadlock.
 */
export const putCalls = async (
  context: Pick<TelephonyContext, 'newId' | 'vault' | 'url' | 'record'>,
  tx: Transaction,
  updates: readonly CallUpdate[],
  now: number,
): Promise<CallUpdate[]> => {
  const { newId, record } = context;
  if (updates.length === 0) return [];
  const stored = await lockCalls(tx, updates);
  const facts = stored.length > 0 ? await listFactsOfCalls(tx, stored) : new Map<string, CallFact[]>();
  const byName = new Map(stored.map((call) => [nameOf(call), call]));
  const known: Change[] = [];
  const fresh: Change[] = [];
  for (const update of updates) {
    const call = byName.get(nameOf(update));
    if (call) known.push({ before: call, ...addTo(call, update, facts.get(call.id) ?? []) });
    else fresh.push({ before: null, ...addTo(beginCall(newId(), update), update, []) });
  }
  const inserted = fresh.length > 0 ? await insertCalls(tx, callsOf(fresh), now) : new Set<string>();
  const put = [...known, ...fresh.filter(({ call }) => inserted.has(call.id))];
  const added = put.flatMap((change) => change.added);
  if (added.length > 0) await insertFacts(tx, added);
  if (known.length > 0) await updateCalls(tx, callsOf(known), now);
  await refreshWaiting(
    tx,
    put.flatMap(({ before, call }) => listConcerned(before, call)),
  );
  await record(tx, ...(await toCallEvents(context, tx, put)));
  return fresh.filter(({ call }) => !inserted.has(call.id)).map(({ update }) => update);
};
