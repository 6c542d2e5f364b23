import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Database } from '../../src/platform/index.ts';
import type { EventReceiver } from './event-receiver.ts';
import { waitUntil } from './wait-until.ts';

type EventRow = { id: string; type: string; subject: string; sequence: number };

const listEvents = (database: Database): Promise<EventRow[]> =>
  database.all<EventRow>("select id, type, subject, sequence from events where type like 'call.%' order by sequence");

/** The causes against the events, and the events against what arrived. */
export const expectEventsKept = async (
  context: TestContext,
  database: Database,
  receiver: EventReceiver,
): Promise<void> => {
  const arrived = (): Set<string> => new Set(receiver.received.map(({ event }) => event.id.replace('evt_', '')));
  await waitUntil(
    'every event has arrived',
    async () => {
      const ids = arrived();
      const rows = await listEvents(database);
      return rows.every(({ id, sequence }) => sequence !== null && ids.has(id));
    },
    40_000,
  );
  const events = await listEvents(database);
  const calls = await database.all<{ id: string; outcome: string | null }>('select id, outcome from calls');
  const ofCall = Map.groupBy(events, ({ subject }) => subject);
  const lastEndOf = new Map(
    receiver.received
      .filter(({ event }) => event.type === 'call.ended')
      .toSorted((left, right) => left.event.sequence - right.event.sequence)
      .map(({ event }) => [event.data['id'], event.data['outcome']]),
  );
  const count = (callId: string, type: string): number =>
    (ofCall.get(callId) ?? []).filter((event) => event.type === type).length;
  const withoutEvent = calls.filter(
    ({ id, outcome }) =>
      count(id, 'call.started') !== 1 ||
      (outcome !== null && (count(id, 'call.ended') < 1 || lastEndOf.get(id) !== outcome)),
  );
  const known = new Set(events.map(({ id }) => id));
  const invented = [...arrived()].filter((id) => !known.has(id));
  const callIds = new Set(calls.map(({ id }) => id));
  const withoutCause = events.filter(({ subject }) => !callIds.has(subject));
  const repeated = receiver.received.length - arrived().size;
  context.diagnostic(
    `${calls.length} calls, ${events.length} events, ${receiver.received.length} received, ${repeated} of them more than once`,
  );
  assert.ok(calls.length > 0);
  assert.deepEqual(withoutEvent, [], 'Every cause has its events, and the last one is right.');
  assert.deepEqual(withoutCause, [], 'Every event has its cause.');
  assert.deepEqual(invented, [], 'Nothing arrives that never happened.');
  const all = await database.all<{ sequence: number }>('select sequence from events order by sequence');
  assert.deepEqual(
    all.map(({ sequence }) => sequence),
    all.map((_, index) => index + 1),
    'The log has no gaps.',
  );
};
