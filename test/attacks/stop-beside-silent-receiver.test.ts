import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestApp } from '../harness/app.ts';
import { startEventReceiver } from '../harness/event-receiver.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

const house = useStage(() => createTestApp('sqlite'));
const receiver = useStage(startEventReceiver);

test('a receiver that has not responded keeps nobody else from being served while the service stops', async () => {
  receiver.respond = () => undefined;
  const { team, admin } = await house.createTeam('silent');
  const payload = { url: receiver.url };
  await house.server.inject({ method: 'POST', url: '/api/events/endpoints', headers: admin.headers, payload });
  const { database, events } = house.app;
  await database.transaction((tx) =>
    events.record(tx, { teamId: team.id, type: 'call.started', subject: 'a-call', data: {} }),
  );
  events.sending.start();
  await waitUntil('the request', () => receiver.received.length === 1);
  const stopping = events.sending.stop({ drainMs: 200 });
  // If the process only turned in circles, no request would be read anymore, and no timer would fire.
  assert.equal((await house.server.inject({ method: 'GET', url: '/healthz' })).statusCode, 200);
  await stopping;
  // It's sent again after the next start, as if nobody had tried.
  for (const table of ['event_attempts', 'event_retries'])
    assert.deepEqual(await database.all(`select event_id from ${table}`), [], table);
});
