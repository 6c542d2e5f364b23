import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildApp } from '../../src/app.ts';
import { DatabaseUnavailable } from '../../src/platform/index.ts';
import { createTestApp, createTestLog } from '../harness/app.ts';
import { startEventReceiver } from '../harness/event-receiver.ts';
import { startCalls } from '../harness/start-calls.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

const house = useStage(() => createTestApp('sqlite'));
const receiver = useStage(startEventReceiver);

test('the service stops although how an event was received can’t be stored, and sends it again', async () => {
  const { team, admin } = await house.createTeam('away');
  const payload = { url: receiver.url };
  await house.server.inject({ method: 'POST', url: '/api/events/endpoints', headers: admin.headers, payload });
  const app = buildApp(house.config, { log: createTestLog().log, threads: false });
  const { transaction } = app.database;
  await startCalls(app, team.id, ['a-call']);
  await app.events.findLogEnd(null);
  const refused = Promise.withResolvers<void>();
  const away: typeof transaction = (work) =>
    transaction(async (tx) => {
      await work(tx);
      refused.resolve();
      throw new DatabaseUnavailable('The database is away.');
    });
  receiver.respond = (one, response) => {
    Object.assign(app.database, { transaction: away });
    receiver.accept(one, response);
  };
  app.events.sending.start();
  await refused.promise;
  let hasStopped = false;
  const stopping = app.events.sending.stop().then(() => {
    hasStopped = true;
  });
  try {
    await waitUntil('it has stopped', () => hasStopped);
  } finally {
    Object.assign(app.database, { transaction });
    await stopping;
    await app.close();
  }
  receiver.respond = receiver.accept;
  await house.app.events.sending.sendAll();
  assert.equal(receiver.received.length, 2);
  const attempts = await house.app.database.all('select status from event_attempts');
  assert.equal(attempts.length, 1);
});
