import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { eraseEventsAbout } from '../../src/events/log/event-store.ts';
import { createTestApp, createTestClock } from '../harness/app.ts';
import { onOneEngine } from '../harness/databases.ts';
import { startEventReceiver } from '../harness/event-receiver.ts';
import { skipAhead } from '../harness/skip-ahead.ts';
import { startCalls } from '../harness/start-calls.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

const MOST_AT_ONCE = 16;
/** What was read longer ago than this is read again before it's sent. */
const FRESH_MS = 2_000;

onOneEngine('events on their way', (engine) => {
  const house = useStage(() => createTestApp(engine, { clock: createTestClock() }));
  const receiver = useStage(startEventReceiver);
  let made = 0;

  const openStage = async () => {
    const { events } = house.app;
    const { team, admin } = await house.createTeam(`way-${++made}`);
    const path = `/team-${made}`;
    const ask = async (method: 'GET' | 'POST', url: string, payload?: object) =>
      house.server.inject({ method, url: `/api/events${url}`, headers: admin.headers, ...(payload && { payload }) });
    const { id } = (await ask('POST', '/endpoints', { url: `${receiver.url}${path}` })).json();
    const happen = (...subjects: string[]) => startCalls(house.app, team.id, subjects);
    const subjects = () =>
      receiver.received.filter((one) => one.path.endsWith(path)).map(({ event }) => event.data['subject']);
    events.sending.start();
    return { team, id, ask, happen, subjects };
  };

  const range = (count: number, prefix: string): string[] =>
    Array.from({ length: count }, (_, index) => `${prefix}-${index}`);

  test('aren’t sent once what they’re about is erased', async () => {
    const held: ServerResponse[] = [];
    receiver.respond = (_, response) => void held.push(response);
    const { team, happen, subjects } = await openStage();
    await happen(...range(20, 'call'));
    await waitUntil('the first request', () => held.length === 1);
    await eraseEventsAbout(house.app.database, team.id, range(20, 'call'));
    skipAhead(FRESH_MS);
    receiver.respond = receiver.accept;
    await happen('another');
    for (const response of held) response.writeHead(204).end();
    await waitUntil('what happened later', () => subjects().includes('another'));
    assert.equal(subjects().length, 2);
  });

  test('have no more connections than places, even if the receiver takes long to finish its responses', async () => {
    receiver.respond = receiver.accept;
    const { happen, subjects } = await openStage();
    await happen(...range(40, 'quick'));
    await waitUntil('the quick ones', () => subjects().length === 40);
    let open = 0;
    let most = 0;
    receiver.respond = (_, response) => {
      most = Math.max(most, ++open);
      response.on('close', () => open--);
      response.writeHead(200, { 'content-length': '1000' }).write('x');
    };
    await happen(...range(40, 'slow'));
    await waitUntil('one more than places', () => subjects().length > 40 + MOST_AT_ONCE);
    assert.ok(most <= MOST_AT_ONCE, `${most} at once`);
    receiver.respond = receiver.accept;
  });

  test('don’t wait for one that can’t be opened, and neither does the log', async () => {
    receiver.respond = receiver.accept;
    const { team, ask, happen, subjects, id } = await openStage();
    const { database, events } = house.app;
    const [broken = ''] = await database.transaction(async (tx) => {
      const ids = await events.record(tx, { teamId: team.id, type: 'call.started', subject: 'broken', data: {} });
      await tx.run("update events set data = 'broken' where id = $1", [ids[0] ?? '']);
      return ids;
    });
    await happen(...range(5, 'good'));
    await waitUntil('the others', () => subjects().length === 5);
    await waitUntil('the place after all of them', async () => {
      const sql = 'select e.position as at, l.position as "end" from event_endpoints e, event_log l where e.id = $1';
      const row = await database.get<{ at: number; end: number }>(sql, [id]);
      return row?.at === row?.end;
    });
    const log = (await ask('GET', '')).json().events;
    assert.deepEqual(
      log.map(({ data }: { data: object }) => data),
      [{ unreadable: true }, ...range(5, 'good').map((subject) => ({ subject }))],
    );
    const { attempts } = (await ask('GET', `/evt_${broken}`)).json();
    assert.equal(attempts[0].error, 'The event could not be opened.');
  });

  test('count as received, also if that can’t be stored for another endpoint', async () => {
    receiver.respond = receiver.accept;
    const [stuck, other] = [await openStage(), await openStage()];
    const { database } = house.app;
    const countStored = async ({ id }: { id: string }): Promise<number> =>
      (await database.all('select id from event_attempts where endpoint_id = $1', [id])).length;
    const { transaction } = database;
    const refused = Promise.withResolvers<void>();
    const refusing: typeof transaction = (work) =>
      transaction((tx) => {
        const runFrom: typeof tx.runFrom = (table, text) => {
          if (!text.startsWith('insert into event_attempts') || !table.rows.flat().includes(stuck.id))
            return tx.runFrom(table, text);
          refused.resolve();
          return Promise.reject(new Error('It is refused.'));
        };
        return work({ ...tx, runFrom });
      });
    Object.assign(database, { transaction: refusing });
    try {
      await stuck.happen('stuck');
      await refused.promise;
      await other.happen('other');
      await waitUntil('the other result', async () => (await countStored(other)) === 1);
      assert.equal(await countStored(stuck), 0);
    } finally {
      Object.assign(database, { transaction });
    }
    await waitUntil('both results', async () => (await countStored(stuck)) === 1);
    assert.deepEqual([stuck.subjects(), other.subjects()], [['stuck'], ['other']]);
  });

  test('are all sent in each of many replays, one right after the other', async () => {
    receiver.respond = receiver.accept;
    const { ask, happen, subjects, id } = await openStage();
    await happen(...range(10, 'call'));
    await waitUntil('the first time', () => subjects().length === 10);
    const period = { since: '2020-01-01T00:00:00Z', until: '2050-01-01T00:00:00Z' };
    const rounds = 30;
    for (let round = 0, tries = 0; round < rounds && tries < 5_000; tries++)
      if ((await ask('POST', `/endpoints/${id}/replay`, period)).statusCode === 202) round++;
    await waitUntil('all of them', () => subjects().length === 10 * (rounds + 1));
  });
});
