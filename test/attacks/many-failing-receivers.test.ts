import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestApp, createTestClock } from '../harness/app.ts';
import { onOneEngine } from '../harness/databases.ts';
import { startEventReceiver } from '../harness/event-receiver.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

const DUE_AT_ONCE = 200;

onOneEngine('many receivers that are down', (engine) => {
  const clock = createTestClock();
  const house = useStage(() => createTestApp(engine, { clock }));
  const receiver = useStage(startEventReceiver);

  test('don’t keep what another one missed from being sent again', async () => {
    const { database, events } = house.app;
    const { team, admin } = await house.createTeam('honest');
    const payload = { url: receiver.url };
    const made = await house.server.inject({
      ...{ method: 'POST', url: '/api/events/endpoints', headers: admin.headers, payload },
    });
    assert.equal(made.statusCode, 201);
    receiver.respondWith(500);
    await database.transaction((tx) =>
      events.record(tx, { teamId: team.id, type: 'call.started', subject: 'a-call', data: {} }),
    );
    events.sending.start();
    await waitUntil('the first attempt, stored', async () => {
      const rows = await database.all('select id from event_endpoints where retry_at is not null');
      return rows.length === 1;
    });
    receiver.respond = receiver.accept;

    // Others are due at the same moment, come first by their ids, and stay due: another process holds them and waits for
    // their receivers.
    const { team: down } = await house.createTeam('down');
    const columns = 'retry_at, url, types, description, secret, position, created_at, changed_at';
    const heldUntil = clock.now() + 15_000;
    await database.transaction(async (tx) => {
      for (let index = 0; index < DUE_AT_ONCE; index++)
        await tx.run(
          `insert into event_endpoints (id, team_id, for_operator, holder, held_until, ${columns})
            select $1, $2, 0, 'another process', $3, ${columns} from event_endpoints where team_id = $4`,
          [`0-${index}`, down.id, heldUntil, team.id],
        );
    });
    clock.advance(6_000);
    await waitUntil('the second attempt', () => receiver.received.length === 2);
  });
});
