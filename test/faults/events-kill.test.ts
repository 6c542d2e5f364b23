import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { Engine } from '../../src/platform/index.ts';
import { type EventReceiver, startEventReceiver } from '../harness/event-receiver.ts';
import { expectCallsKept } from '../harness/expect-calls-kept.ts';
import { expectEventsKept } from '../harness/expect-events-kept.ts';
import { killAgainAndAgain } from '../harness/kill-again-and-again.ts';
import type { Serving } from '../harness/serve-process.ts';
import { ADMIN } from '../harness/telephony-serve.ts';

/** `KILLS=200` for the long run. */
const KILLS = Number(process.env['KILLS'] ?? 10);
const TIMEOUT_MS = 300_000 + KILLS * 20_000;

const addEndpoint = (receiver: EventReceiver) => async (serving: Serving) => {
  const headers = { ...ADMIN, 'content-type': 'application/json' };
  const body = JSON.stringify({ url: receiver.url, types: ['call.*'] });
  const answer = await serving.fetch('/api/events/endpoints', { method: 'POST', headers, body });
  assert.equal(answer.status, 201);
};

describe('a process killed while deliveries arrive and events are sent', { concurrency: 2 }, () => {
  const run = async (context: TestContext, engine: Engine): Promise<void> => {
    const receiver = await startEventReceiver();
    context.after(() => receiver.close());
    const { provider, database } = await killAgainAndAgain(context, engine, {
      kills: KILLS,
      onStarted: addEndpoint(receiver),
    });
    await expectCallsKept(context, database, provider);
    await expectEventsKept(context, database, receiver);
  };

  test('has lost nothing that it acknowledged, and no event (sqlite)', { timeout: TIMEOUT_MS }, (context) =>
    run(context, 'sqlite'),
  );

  test(
    'has company in a second process on the same database, with the same result (postgresql)',
    { timeout: TIMEOUT_MS },
    (context) => run(context, 'postgresql'),
  );
});
