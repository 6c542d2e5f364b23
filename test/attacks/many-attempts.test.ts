import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestApp, createTestClock } from '../harness/app.ts';
import { onEachEngine } from '../harness/databases.ts';
import { startEventReceiver } from '../harness/event-receiver.ts';
import { useStage } from '../harness/use-stage.ts';

const SHOWN = 200;
const LATER_MS = 31 * 24 * 3_600_000;

onEachEngine('an event that is sent again and again', (engine) => {
  const clock = createTestClock();
  const house = useStage(() => createTestApp(engine, { clock }));
  const receiver = useStage(startEventReceiver);
  let made = 0;

  const openStage = async () => {
    const { team, admin } = await house.createTeam(`again-${++made}`);
    const { database, events } = house.app;
    const ask = (path: string, payload: object) =>
      house.server.inject({ method: 'POST', url: `/api/events${path}`, headers: admin.headers, payload });
    await ask('/endpoints', { url: receiver.url });
    const [eventId = ''] = await database.transaction((tx) =>
      events.record(tx, { teamId: team.id, type: 'call.started', subject: 'a-call', data: {} }),
    );
    await events.sending.sendAll();
    const count = async () => {
      const sql = 'select count(*) as n from event_attempts where event_id = $1';
      return Number((await database.get<{ n: number }>(sql, [eventId]))?.n);
    };
    const attempt = 'team_id, event_id, endpoint_id, at, status, duration_ms, error';
    /** As if it had been sent so often before. */
    const addAttempts = (count: number) =>
      database.transaction(async (tx) => {
        for (let index = 0; index < count; index++)
          await tx.run(
            `insert into event_attempts (id, ${attempt}) select $1, ${attempt} from event_attempts where event_id = $2 limit 1`,
            [`0 ${team.id} ${index}`, eventId],
          );
      });
    return { team, eventId, ask, count, addAttempts };
  };

  /** The most attempts that one statement deletes, also with their event. */
  const watchDeleted = async (team: string, work: () => Promise<unknown>): Promise<number> => {
    const { database } = house.app;
    const count = async () => {
      const sql = 'select count(*) as n from event_attempts where id like $1';
      return Number((await database.get<{ n: number }>(sql, [`0 ${team} %`]))?.n);
    };
    const run = database.run;
    let most = 0;
    database.run = async (...statement) => {
      const before = await count();
      const result = await run.apply(database, statement);
      most = Math.max(most, before - (await count()));
      return result;
    };
    await work().finally(() => {
      database.run = run;
    });
    return most;
  };

  test('keeps its newest attempts only', async () => {
    const { eventId, ask, count, addAttempts } = await openStage();
    await addAttempts(SHOWN + 50);
    assert.equal((await ask(`/evt_${eventId}/resend`, {})).statusCode, 202);
    await house.app.events.sending.sendAll();
    assert.equal(await count(), SHOWN);
  });

  test('is deleted without many attempts at once', async () => {
    const { team, count, addAttempts } = await openStage();
    await addAttempts(900);
    clock.advance(LATER_MS);
    const most = await watchDeleted(team.id, () => house.app.events.prune());
    assert.equal(await count(), 0);
    assert.ok(most > 0 && most <= SHOWN, `${most} in one statement`);
  });

  test('is erased with its team without many attempts at once', async () => {
    const { team, count, addAttempts } = await openStage();
    await addAttempts(900);
    const erase = { teamId: team.id, pace: async () => undefined };
    const most = await watchDeleted(team.id, () => house.app.events.eraser.erase(erase as never));
    assert.equal(await count(), 0);
    assert.ok(most > 0 && most <= SHOWN, `${most} in one statement`);
  });
});
