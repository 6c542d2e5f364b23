import type { NewId, Transaction } from '../../platform/index.ts';
import { assembleCall } from '../calls/call.ts';
import { type CallRow, MOST_EVENTS } from '../calls/call-store.ts';
import type { CallEvent } from '../contract/call-event.ts';
import { insertCallEvents, insertCalls, listEventsOfCalls, lockCalls, updateCalls } from './call-batch-store.ts';
import { type CallUpdate, isBetter, nameOf } from './prepare-calls.ts';

/** A call of which nothing is known yet. */
export const beginCall = (
  id: string,
  { teamId, accountId, externalId, provider, receivedAt }: Omit<CallUpdate, 'deliveries' | 'events' | 'ends'>,
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

/** The call anew from everything that is known of it. */
const assemble = (before: CallRow, { ends }: CallUpdate, events: readonly CallEvent[]): CallRow => {
  const call = ends && isBetter(ends.toldBy, before.toldBy) ? { ...before, ...ends } : before;
  const { evidence, ...state } = assembleCall(call, events);
  const startedAt = events.length > 0 ? state.startedAt : call.startedAt;
  return { ...call, ...state, startedAt, evidence: JSON.stringify(evidence) };
};

const toldEvents = ({ events }: CallUpdate): CallEvent[] => [...events.values()].map(({ event }) => event);

type Change = { update: CallUpdate; call: CallRow };

const insertEventsOf = async (tx: Transaction, changes: readonly Change[]): Promise<void> => {
  const told = changes.flatMap(({ update: { events, teamId }, call: { id: callId } }) =>
    [...events.values()].map(({ deliveryId, event }) => ({ callId, teamId, deliveryId, event })),
  );
  if (told.length > 0) await insertCallEvents(tx, told);
};

/** New calls are stored as they are; only the events of those that are known need to be read. */
const addToKnown = async (tx: Transaction, known: readonly Change[], now: number): Promise<void> => {
  if (known.length === 0) return;
  const events = await listEventsOfCalls(
    tx,
    known.map(({ call }) => call),
    MOST_EVENTS,
  );
  const calls = known.map(({ update, call }) => assemble(call, update, events.get(call.id) ?? []));
  await updateCalls(tx, calls, now);
};

/**
 * Adds what deliveries say to their calls. It may be done twice with the same delivery, by two processes at once: facts
 * are added under a lock on the call's row, and each only once. Returns the updates of new calls that another process
 * inserted first: put them again in a transaction of their own, so that rows are always locked in one order.
 */
export const putCalls = async (
  { newId }: { newId: NewId },
  tx: Transaction,
  updates: readonly CallUpdate[],
  now: number,
): Promise<CallUpdate[]> => {
  if (updates.length === 0) return [];
  const stored = new Map((await lockCalls(tx, updates)).map((call) => [nameOf(call), call]));
  const known: Change[] = [];
  const fresh: Change[] = [];
  for (const update of updates) {
    const call = stored.get(nameOf(update));
    if (call) known.push({ update, call });
    else fresh.push({ update, call: assemble(beginCall(newId(), update), update, toldEvents(update)) });
  }
  const inserted =
    fresh.length > 0
      ? await insertCalls(
          tx,
          fresh.map(({ call }) => call),
          now,
        )
      : new Set<string>();
  const added = fresh.filter(({ call }) => inserted.has(call.id));
  await insertEventsOf(tx, [...known, ...added]);
  await addToKnown(tx, known, now);
  return fresh.filter(({ call }) => !inserted.has(call.id)).map(({ update }) => update);
};
