import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createTestApp, createTestClock, createTestLog } from '../../../test/harness/app.ts';
import { onEachEngine } from '../../../test/harness/databases.ts';
import { startEventReceiver } from '../../../test/harness/event-receiver.ts';
import { runTogether } from '../../../test/harness/run-together.ts';
import { useStage } from '../../../test/harness/use-stage.ts';
import { waitUntil } from '../../../test/harness/wait-until.ts';
import { buildApp } from '../../app.ts';
import { currentWork, type Database, SENDING, workFor } from '../../platform/index.ts';
import { COMMAND_LINE } from '../../teams/index.ts';
import { getHeldEndpoint, HOLD_MS, holdEndpoints, keepHolding, releaseEndpoints } from './holding-store.ts';
import { finishReplay } from './progress-store.ts';

/** Records each statement that changes several rows, and the owner whose work it was. */
const watchMany = (database: Database) => {
  const { transaction } = database;
  const seen: { text: string; owner: string }[] = [];
  const watched: typeof transaction = (work) =>
    transaction((tx) => {
      const runFrom: typeof tx.runFrom = (table, text) => {
        seen.push({ text, owner: currentWork().owner });
        return tx.runFrom(table, text);
      };
      return work({ ...tx, runFrom });
    });
  Object.assign(database, { transaction: watched });
  return seen;
};

onEachEngine('very many endpoints', (engine) => {
  const clock = createTestClock();
  const house = useStage(() => createTestApp(engine, { clock }));
  const receiver = useStage(startEventReceiver);
  let made = 0;

  const createEndpoint = async (types: readonly string[] = ['*']) => {
    const { team } = await house.createTeam(`many-${++made}`);
    const url = new URL(`/many/${made}`, receiver.url).href;
    const owner = { teamId: team.id, forOperator: false };
    const { endpoint } = await house.app.events.endpoints.create(owner, COMMAND_LINE, { url, types, description: '' });
    const received = () =>
      receiver.received.filter(({ path }) => url.endsWith(path)).map(({ event }) => event.data['id']);
    return { teamId: team.id, id: endpoint.id, received };
  };

  const happen = (...teamIds: string[]) =>
    house.app.database.transaction((tx) =>
      house.app.events.record(
        tx,
        ...teamIds.map((teamId, index) => ({
          ...{ teamId, type: 'call.started' as const, subject: `${index}`, data: { id: `${index}` } },
        })),
      ),
    );

  const sendAll = () => house.app.events.sending.sendAll();

  test('are held with a few statements, in the lane of nobody', async () => {
    const endpoints = [];
    for (let count = 0; count < 20; count++) endpoints.push(await createEndpoint());
    await happen(...endpoints.map(({ teamId }) => teamId));
    const seen = watchMany(house.app.database);
    await workFor('somebody', sendAll);
    for (const { received } of endpoints) assert.equal(received().length, 1);
    const holding = seen.filter(({ text }) => text.includes('set holder'));
    assert.deepEqual(
      holding.map(({ owner }) => owner),
      [SENDING],
    );
  });

  test('are each held by one of two processes that want them at the same moment', async () => {
    const { id } = await createEndpoint();
    const { database } = house.app;
    const other = { ...database };
    const [one, two] = await runTogether(database, 'event_endpoints', [
      () => holdEndpoints(database, [id], 'one', clock.now()),
      () => holdEndpoints(other, [id], 'two', clock.now()),
    ]);
    assert.deepEqual([one.map((held) => held.id), two], [[id], []]);
    const row = await database.get<{ holder: string }>('select holder from event_endpoints where id = $1', [id]);
    assert.equal(row?.holder, 'one');
  });

  test('are left to the process that holds them by now', async () => {
    const { id } = await createEndpoint();
    const { database } = house.app;
    assert.equal((await holdEndpoints(database, [id], 'slow', clock.now())).length, 1);
    clock.advance(HOLD_MS);
    assert.equal(
      await getHeldEndpoint(database, id, 'slow', clock.now()),
      undefined,
      'Anyone may take it from now on.',
    );
    assert.equal((await holdEndpoints(database, [id], 'next', clock.now())).length, 1);
    assert.equal(await getHeldEndpoint(database, id, 'slow', clock.now()), undefined);
    assert.equal(await keepHolding(database, [id], 'slow', clock.now() + HOLD_MS), 0);
    assert.equal(await releaseEndpoints(database, [{ id, position: 9_999 }], 'slow'), 0);
    const row = await database.get<object>('select holder, held_until as until from event_endpoints where id = $1', [
      id,
    ]);
    assert.deepEqual({ ...row }, { holder: 'next', until: clock.now() + HOLD_MS });
  });

  test('stay where they are in the log if they are left by a process that was behind', async () => {
    const { id } = await createEndpoint();
    const { database } = house.app;
    const [held] = await holdEndpoints(database, [id], 'behind', clock.now());
    assert.ok(held);
    // As if someone had turned the endpoint off and on again.
    await database.run('update event_endpoints set position = position + 5 where id = $1', [id]);
    assert.equal(await releaseEndpoints(database, [{ id, position: held.position }], 'behind'), 1);
    const row = await database.get<{ position: number }>('select position from event_endpoints where id = $1', [id]);
    assert.equal(row?.position, held.position + 5);
  });

  test('are told the same again if somebody wants that once more before the first time has ended', async () => {
    const { teamId, id } = await createEndpoint();
    const { database, events } = house.app;
    const owner = { teamId, forOperator: false };
    await happen(teamId);
    await sendAll();
    const replay = () => {
      clock.advance(1);
      return events.endpoints.replay(owner, COMMAND_LINE, id, { since: 0, until: clock.now() });
    };
    assert.equal(await replay(), true);
    clock.advance(HOLD_MS);
    const [held] = await holdEndpoints(database, [id], 'one', clock.now());
    assert.ok(held);
    for (const active of [false, true]) await events.endpoints.change(owner, COMMAND_LINE, id, { active });
    assert.equal(await replay(), true);
    assert.equal(await finishReplay(database, held, 'one'), 0);
    const { endpoint } = await events.endpoints.show(owner, id);
    assert.deepEqual(endpoint.replayUntil, held.replayUntil);
  });

  test('get what is new before they have responded to what was', async () => {
    const { teamId, received } = await createEndpoint();
    // Events are sent one after the other until the first success.
    await happen(teamId);
    await sendAll();
    const held: ServerResponse[] = [];
    receiver.respond = (_, response) => void held.push(response);
    await happen(teamId);
    const first = sendAll();
    await waitUntil('the first request', () => held.length === 1);
    await happen(teamId);
    const second = sendAll();
    await waitUntil('the second request', () => held.length === 2);
    for (const response of held) response.writeHead(204).end();
    receiver.respond = receiver.accept;
    await Promise.all([first, second]);
    assert.equal(received().length, 3);
  });

  test('are not read again and again while they take long to respond to a retry', async () => {
    const { teamId, received } = await createEndpoint();
    await happen(teamId, teamId, teamId);
    await sendAll();
    receiver.respondWith(500);
    await happen(teamId);
    await sendAll();
    clock.advance(6_000);
    const held: ServerResponse[] = [];
    receiver.respond = (_, response) => void held.push(response);
    const { all } = house.app.database;
    let reads = 0;
    const counted: typeof all = (text, values) => {
      reads++;
      return all(text, values);
    };
    Object.assign(house.app.database, { all: counted });
    const sending = sendAll();
    await waitUntil('the request', () => held.length === 1);
    for (let turn = 0; turn < 200; turn++) await nextTurn();
    assert.ok(reads < 20, `${reads} reads`);
    Object.assign(house.app.database, { all });
    for (const response of held) response.writeHead(204).end();
    receiver.respond = receiver.accept;
    await sending;
    assert.equal(received().length, 5);
  });

  test('are deleted after what is to be sent there, which goes a few at a time', async () => {
    const { app } = house;
    const other = await createEndpoint();
    const { id, teamId } = await createEndpoint();
    await happen(...Array.from({ length: 450 }, () => teamId));
    for (const endpointId of [id, other.id])
      await app.database.run(
        `insert into event_retries (endpoint_id, event_id, attempts, next_at)
          select $1, id, 1, 9000000000000 from events where team_id = $2`,
        [endpointId, teamId],
      );
    const { run } = app.database;
    const deleted: number[] = [];
    const watched: typeof run = async (text, values) => {
      const count = await run(text, values);
      if (text.startsWith('delete from event_retries')) deleted.push(count);
      return count;
    };
    Object.assign(app.database, { run: watched });
    await assert.rejects(app.events.endpoints.remove({ teamId, forOperator: false }, COMMAND_LINE, other.id));
    await app.events.endpoints.remove({ teamId, forOperator: false }, COMMAND_LINE, id);
    Object.assign(app.database, { run });
    assert.deepEqual(deleted, [200, 200, 50]);
    const left = await app.database.all<{ id: string }>('select distinct endpoint_id as id from event_retries');
    assert.deepEqual(
      left.map((row) => row.id),
      [other.id],
    );
  });

  if (engine === 'postgresql')
    test('that are behind after a start come a few at a time, so that news needn’t wait for all of them', async () => {
      const { events } = house.app;
      const first = [];
      for (let count = 0; count < 15; count++) first.push(await createEndpoint());
      const input = { url: receiver.url, types: ['*'], description: '' };
      for (const { teamId } of first)
        await Promise.all(
          Array.from({ length: 9 }, () => events.endpoints.create({ teamId, forOperator: false }, COMMAND_LINE, input)),
        );
      await happen(...first.map(({ teamId }) => teamId));
      const started = buildApp(house.config, { clock, log: createTestLog().log, threads: false });
      const { database } = started;
      const { all } = database;
      const goOn = Promise.withResolvers<void>();
      let reads = 0;
      const held: typeof all = async (text, values) => {
        if (/data,\s+created_at.* from events/s.test(text)) {
          reads++;
          await goOn.promise;
        }
        return all(text, values);
      };
      Object.assign(database, { all: held });
      const sending = started.events.sending.sendAll();
      await waitUntil('all who may read do', () => reads === 8);
      for (let turn = 0; turn < 500; turn++) await nextTurn();
      const teamIds = new Set(first.map(({ teamId }) => teamId));
      const taken = (
        await all<{ teamId: string }>('select team_id as "teamId" from event_endpoints where holder is not null')
      ).filter(({ teamId }) => teamIds.has(teamId));
      goOn.resolve();
      Object.assign(database, { all });
      await sending;
      await started.close();
      assert.ok(taken.length <= 120, `${taken.length} of 150 were taken at once`);
      for (const { received } of first) assert.equal(received().length, 1);
    });

  test('that want nothing of what happened are not told, and keep their place all the same', async () => {
    const { teamId, id } = await createEndpoint(['report.ready']);
    await happen(teamId);
    await sendAll();
    await house.app.events.sending.stop();
    const row = await house.app.database.get<{ position: number; holder: string | null; end: number }>(
      `select e.position as position, e.holder as holder, l.position as "end" from event_endpoints e, event_log l
        where e.id = $1`,
      [id],
    );
    assert.deepEqual({ ...row }, { position: row?.end, holder: null, end: row?.end });
  });
});
