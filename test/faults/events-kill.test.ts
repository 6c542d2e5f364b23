import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { Database, Engine } from '../../src/platform/index.ts';
import { type EventReceiver, startEventReceiver } from '../harness/event-receiver.ts';
import type { Serving } from '../harness/serve-process.ts';
import { killAgainAndAgain } from '../harness/telephony-kills.ts';
import { ADMIN } from '../harness/telephony-serve.ts';
import { waitUntil } from '../harness/wait-until.ts';

/** `KILLS=200` for the long run. */
const KILLS = Number(process.env['KILLS'] ?? 10);
const MOST_BEFORE_KILL = 25;
const TIMEOUT_MS = 100_000 + KILLS * 5_000;

type EventRow = { id: string; type: string; subject: string; sequence: number };

const addEndpoint = (receiver: EventReceiver) => async (serving: Serving) => {
  const headers = { ...ADMIN, 'content-type': 'application/json' };
  const body = JSON.stringify({ url: receiver.url, types: ['call.*'] });
  const answer = await serving.fetch('/api/events/endpoints', { method: 'POST', headers, body });
  assert.equal(answer.status, 201);
};

const listEvents = (database: Database): Promise<EventRow[]> =>
  database.all<EventRow>("select id, type, subject, sequence from events where type like 'call.%' order by sequence");

/** The causes against the events, and the events against what arrived. */
const check = async (context: TestContext, database: Database, receiver: EventReceiver): Promise<void> => {
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
  assert.ok(events.length > KILLS);
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

describe('a process killed while events are created and sent', { concurrency: 2 }, () => {
  const run = async (context: TestContext, engine: Engine): Promise<void> => {
    const receiver = await startEventReceiver();
    context.after(() => receiver.close());
    const { database } = await killAgainAndAgain(context, engine, {
      ...{ kills: KILLS, mostBeforeKill: MOST_BEFORE_KILL },
      onStarted: addEndpoint(receiver),
    });
    await check(context, database, receiver);
  };

  test('has an event for every cause, and sends each at least once (sqlite)', { timeout: TIMEOUT_MS }, (context) =>
    run(context, 'sqlite'),
  );

  test(
    'has company in a second process on the same database, with the same result (postgresql)',
    {
      timeout: TIMEOUT_MS,
    },
    (context) => run(context, 'postgresql'),
  );
});
