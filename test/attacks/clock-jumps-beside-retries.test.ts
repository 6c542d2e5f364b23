import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestApp, createTestClock } from '../harness/app.ts';
import { onOneEngine } from '../harness/databases.ts';
import { startEventReceiver } from '../harness/event-receiver.ts';
import { useStage } from '../harness/use-stage.ts';

const YEAR_MS = 365 * 24 * 3_600_000;

onOneEngine('a clock that jumps', (engine) => {
  const clock = createTestClock();
  const house = useStage(() => createTestApp(engine, { clock }));
  const receiver = useStage(startEventReceiver);
  let made = 0;

  const openStage = async () => {
    const { database, events } = house.app;
    const { team, admin } = await house.createTeam(`jump-${++made}`);
    const path = `/team-${made}`;
    const payload = { url: `${receiver.url}${path}` };
    await house.server.inject({ method: 'POST', url: '/api/events/endpoints', headers: admin.headers, payload });
    const happen = async (subject: string) => {
      await database.transaction((tx) =>
        events.record(tx, { teamId: team.id, type: 'call.started', subject, data: {} }),
      );
      await events.sending.sendAll();
    };
    const count = () => receiver.received.filter((one) => one.path.endsWith(path)).length;
    const sql = 'select inactive_reason as reason from event_endpoints where team_id = $1';
    const reason = async () => (await database.get<{ reason: string | null }>(sql, [team.id]))?.reason;
    return { happen, count, reason };
  };

  test('a year ahead and back leaves no retry for next year', async () => {
    const { happen, count } = await openStage();
    clock.advance(YEAR_MS);
    receiver.respondWith(500);
    await happen('a-call');
    clock.advance(-YEAR_MS);
    receiver.respond = receiver.accept;
    // One look notices, the next one sends.
    for (let look = 0; look < 2; look++) await house.app.events.sending.sendAll();
    assert.equal(count(), 2);
  });

  test('a year ahead turns no endpoint off that failed only just now', async () => {
    const { happen, reason } = await openStage();
    receiver.respondWith(500);
    await happen('a-call');
    clock.advance(YEAR_MS);
    await happen('another');
    assert.equal(await reason(), null);
    clock.advance(-YEAR_MS);
  });
});
