import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import type { Transaction } from '../../src/platform/index.ts';
import { createTestApp, createTestClock } from '../harness/app.ts';
import { onEachEngine } from '../harness/databases.ts';
import { startEventReceiver } from '../harness/event-receiver.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

const FOREVER = '9000000000000';

onEachEngine('endpoints that are turned off', (engine) => {
  const clock = createTestClock();
  const house = useStage(() => createTestApp(engine, { clock }));
  const receiver = useStage(startEventReceiver);
  let made = 0;

  const createStage = async () => {
    const path = `/off/${++made}`;
    const { team, admin } = await house.createTeam(`off-${made}`);
    const ask = async (method: 'GET' | 'POST' | 'PATCH', rest: string, payload?: object) =>
      house.server.inject({
        ...{ method, url: `/api/events/endpoints${rest}`, headers: admin.headers, ...(payload && { payload }) },
      });
    const add = async (): Promise<string> =>
      (await ask('POST', '', { url: new URL(path, receiver.url).href })).json().id;
    const id = await add();
    const received = () =>
      receiver.received.filter((one) => one.path === path).map(({ event }) => String(event.data['id']));
    const show = async (one = id) => (await ask('GET', `/${one}`)).json();
    return { teamId: team.id, id, add, ask, received, show };
  };

  const happen = (teamId: string, ...subjects: string[]) =>
    house.app.database.transaction((tx) =>
      house.app.events.record(
        tx,
        ...subjects.map((subject) => ({
          ...{ teamId, type: 'call.started' as const, subject, data: { id: subject } },
        })),
      ),
    );
  const sendAll = () => house.app.events.sending.sendAll();

  /** Remembers every statement in every transaction, and how many rows it changed. */
  const watch = () => {
    const { database } = house.app;
    const { transaction } = database;
    const seen: { text: string; count: number; values: unknown }[][] = [];
    const watched: typeof transaction = (work) =>
      transaction((tx) => {
        const statements: (typeof seen)[number] = [];
        seen.push(statements);
        const note =
          <Arguments extends unknown[], Result>(
            textOf: (...given: Arguments) => string,
            call: (...given: Arguments) => Promise<Result>,
          ) =>
          async (...given: Arguments): Promise<Result> => {
            const result = await call(...given);
            statements.push({
              ...{ text: textOf(...given), values: given[1] },
              count: typeof result === 'number' ? result : Number(result !== undefined),
            });
            return result;
          };
        const run: Transaction['run'] = note((text: string) => text, tx.run);
        const get = note((text: string) => text, tx.get) as Transaction['get'];
        return work({ ...tx, run, get });
      });
    Object.assign(database, { transaction: watched });
    return { seen, stop: () => void Object.assign(database, { transaction }) };
  };

  test('are stored a few at a time, with the alerts of each team in one order', async () => {
    const stages = await Promise.all(Array.from({ length: 6 }, createStage));
    for (const { add } of stages) for (let count = 1; count < 10; count++) await add();
    for (const { teamId } of stages) await happen(teamId, 'farewell');
    const held: ServerResponse[] = [];
    receiver.respond = (_, response) => {
      held.push(response);
      if (held.length === 60) for (const one of held) one.writeHead(410).end();
    };
    const { seen, stop } = watch();
    await sendAll();
    stop();
    receiver.respond = receiver.accept;
    const outcomes = seen.map((statements) => statements.filter(({ text }) => text.includes('last_success_at =')));
    assert.equal(outcomes.flat().length, 60);
    for (const { length } of outcomes) assert.ok(length <= 50, `${length} endpoints in one transaction`);
    for (const statements of seen) {
      const locked = statements
        .filter(({ text }) => text.startsWith('insert into event_alert_teams'))
        .map(({ values }) => String((values as unknown[])[0]));
      assert.deepEqual(locked, locked.toSorted());
    }
    for (const { show } of stages) assert.equal((await show()).inactiveReason, 'gone');
  });

  test('lose what waits for them a few at a time, and don’t get it when they are turned on again', async () => {
    const { teamId, id, ask, received, show } = await createStage();
    const { database } = house.app;
    await ask('PATCH', `/${id}`, { active: false });
    await happen(teamId, ...Array.from({ length: 450 }, (_, index) => `old-${index}`));
    await house.app.events.findLogEnd(null);
    await database.run(
      `insert into event_retries (endpoint_id, event_id, attempts, next_at)
        select $1, id, 1, ${FOREVER} from events where team_id = $2`,
      [id, teamId],
    );
    await ask('PATCH', `/${id}`, { active: true });
    const left = async () =>
      (await database.all('select event_id from event_retries where endpoint_id = $1', [id])).length;
    assert.equal(await left(), 450, 'A person may turn it off for a moment: nothing is lost.');

    receiver.respondWith(410);
    const { run } = database;
    const pieces: number[] = [];
    const watched: typeof run = async (text, values) => {
      const count = await run(text, values);
      if (text.startsWith('delete from event_retries')) pieces.push(count);
      return count;
    };
    Object.assign(database, { run: watched });
    const { seen, stop } = watch();
    await happen(teamId, 'gone');
    await sendAll();
    await waitUntil('nothing waits', async () => (await left()) === 0);
    stop();
    Object.assign(database, { run });
    const inTransactions = seen.flat().filter(({ text }) => text.startsWith('delete from event_retries'));
    for (const count of [...pieces, ...inTransactions.map((one) => one.count)])
      assert.ok(count <= 200, `${count} deleted in one statement`);
    assert.equal((await show()).inactiveReason, 'gone');

    // As if the process had ended before all were deleted.
    await database.run(
      `insert into event_retries (endpoint_id, event_id, attempts, next_at)
        select $1, id, 1, 1 from events where team_id = $2`,
      [id, teamId],
    );
    receiver.respond = receiver.accept;
    await ask('PATCH', `/${id}`, { active: true });
    await happen(teamId, 'new');
    await sendAll();
    assert.deepEqual(received(), ['gone', 'new']);
  });

  test('skip what happened until they were turned on again, although a request was under way meanwhile', async () => {
    const { teamId, id, ask, received } = await createStage();
    const held: ServerResponse[] = [];
    receiver.respond = (_, response) => void held.push(response);
    await happen(teamId, 'before');
    const sending = sendAll();
    await waitUntil('the request', () => held.length === 1);
    await ask('PATCH', `/${id}`, { active: false });
    await happen(teamId, 'meanwhile');
    await house.app.events.findLogEnd(null);
    await ask('PATCH', `/${id}`, { active: true });
    receiver.respond = receiver.accept;
    for (const response of held) response.writeHead(204).end();
    await sending;
    await happen(teamId, 'after');
    await sendAll();
    assert.deepEqual(received(), ['before', 'after']);
  });

  test('end what they are told again', async () => {
    const { teamId, id, ask, received, show } = await createStage();
    await happen(teamId, ...Array.from({ length: 20 }, (_, index) => `told-${index}`));
    await sendAll();
    clock.advance(1_000);
    const held: ServerResponse[] = [];
    receiver.respond = (_, response) => void held.push(response);
    assert.equal((await ask('POST', `/${id}/replay`, { since: '2026-01-01T00:00:00Z' })).json().replaying, true);
    const sending = sendAll();
    await waitUntil('some are under way', () => held.length > 0);
    await ask('PATCH', `/${id}`, { active: false });
    assert.equal((await show()).replaying, false);
    receiver.respond = receiver.accept;
    for (const response of held) response.writeHead(204).end();
    await sending;
    // One more may have been on its way.
    await sendAll();
    const before = received().length;
    assert.ok(before < 40, `${before} were sent`);
    await ask('PATCH', `/${id}`, { active: true });
    await sendAll();
    assert.equal(received().length, before);
    assert.equal((await ask('POST', `/${id}/replay`, { since: '2026-01-01T00:00:00Z' })).json().replaying, true);
    await sendAll();
    assert.equal(received().length, before + 20);
  });

  test('get nothing more after two seconds if another process did that', async (context) => {
    const { teamId, id, received } = await createStage();
    await happen(teamId, 'before', 'after');
    const held: ServerResponse[] = [];
    receiver.respond = (_, response) => void held.push(response);
    const sending = sendAll();
    // One after the other until the first success.
    await waitUntil('the first request', () => held.length === 1);
    const turnOff = "update event_endpoints set inactive_reason = 'paused', inactive_since = $2 where id = $1";
    await house.app.database.run(turnOff, [id, clock.now()]);
    const now = performance.now.bind(performance);
    context.mock.method(performance, 'now', () => now() + 2_000);
    receiver.respond = receiver.accept;
    for (const response of held) response.writeHead(204).end();
    await sending;
    assert.deepEqual(received(), ['before']);
  });

  if (engine === 'postgresql')
    test('stay so while someone changes something else about them', async () => {
      const { teamId, id, ask, show } = await createStage();
      const { database } = house.app;
      const { transaction } = database;
      const read = Promise.withResolvers<void>();
      const goOn = Promise.withResolvers<void>();
      const slow: typeof transaction = (work) =>
        transaction((tx) => {
          const get: Transaction['get'] = async (text, values) => {
            const row = await tx.get(text, values);
            if (text.includes('from event_endpoints where team_id')) {
              read.resolve();
              await goOn.promise;
            }
            return row as never;
          };
          return work({ ...tx, get });
        });
      Object.assign(database, { transaction: slow });
      const changing = ask('PATCH', `/${id}`, { description: 'another name' });
      await read.promise;
      Object.assign(database, { transaction });
      receiver.respondWith(410);
      await happen(teamId, 'gone');
      await sendAll();
      goOn.resolve();
      await changing;
      await sendAll();
      receiver.respond = receiver.accept;
      const { inactiveReason, description } = await show();
      assert.deepEqual([inactiveReason, description], ['gone', 'another name']);
    });
});
