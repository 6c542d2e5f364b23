import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestApp, createTestClock } from '../../../../test/harness/app.ts';
import { OPERATOR, putCustomer } from '../../../../test/harness/customers.ts';
import { onEachEngine } from '../../../../test/harness/databases.ts';
import { providerEvent } from '../../../../test/harness/provider-events.ts';
import { useStage } from '../../../../test/harness/use-stage.ts';
import { eraseAbout } from '../../erase-about.ts';
import { toEventId } from '../event.ts';

const DAY_MS = 24 * 3_600_000;

/** JSON text of exactly this many bytes. */
const jsonOf = (bytes: number): string => JSON.stringify('a'.repeat(bytes - 2));

/** Counts the turns of the event loop, in which others get their work done. */
const countTurns = () => {
  let count = 0;
  let next: NodeJS.Immediate;
  const turn = (): void => {
    count++;
    next = setImmediate(turn);
  };
  next = setImmediate(turn);
  return {
    stop(): number {
      clearImmediate(next);
      return count;
    },
  };
};

onEachEngine('the payload of a provider’s webhook', (engine) => {
  const clock = createTestClock();
  const house = useStage(() => createTestApp(engine, { clock }));
  let teams = 0;
  const createTeam = () => house.createTeam(`payloads-${++teams}`);

  const record = async (teamId: string, payload: string, more: Parameters<typeof providerEvent>[1] = {}) => {
    const { database, events } = house.app;
    const event = providerEvent(teamId, { ...more, payload });
    const [id = ''] = await database.transaction((tx) => events.record(tx, event));
    return { id: toEventId(id), row: id };
  };

  const listData = async (headers: Record<string, string>): Promise<Record<string, unknown>[]> =>
    (await house.server.inject({ url: '/api/events?limit=100', headers }))
      .json()
      .events.map(({ data }: { data: object }) => data);

  const load = (headers: Record<string, string>, id: string, path = '/api/events') =>
    house.server.inject({ url: `${path}/${id}/payload`, headers });

  const countPieces = async (row: string): Promise<number> =>
    (await house.app.database.all('select piece from event_payload_pieces where event_id = $1', [row])).length;

  test('is in the event up to 16 KB, and otherwise where the event says', async () => {
    const { team, member } = await createTeam();
    const small = await record(team.id, jsonOf(16_384));
    const large = await record(team.id, jsonOf(16_385));
    const [inEvent = {}, apart = {}] = await listData(member.headers);
    assert.equal(String(inEvent['payload']).length, 16_382);
    assert.ok(!('payloadUrl' in inEvent));
    assert.ok(!('payload' in apart));
    assert.equal(apart['payloadUrl'], `${house.config.url}/api/events/${large.id}/payload`);
    assert.equal(apart['url'], `${house.config.url}/api/events/${large.id}`);
    const answer = await load(member.headers, large.id);
    assert.equal(answer.statusCode, 200);
    assert.equal(answer.body, jsonOf(16_385));
    const { headers } = answer;
    assert.deepEqual(
      [headers['content-type'], headers['content-disposition'], headers['x-content-type-options']],
      ['application/json', `attachment; filename="${large.id}.json"`, 'nosniff'],
    );
    assert.match(String(headers['content-security-policy']), /^default-src 'none'/);
    const none = await load(member.headers, small.id);
    assert.deepEqual([none.statusCode, none.json().code], [404, 'events.payload_unknown']);
  });

  test('comes back as it was sent, also where a character would be cut', async () => {
    const { team, member } = await createTeam();
    const piece = 256 * 1024;
    for (const shift of [0, 1]) {
      const payload = ` {"n": 12345678901234567890, "t":"${'a'.repeat(shift)}${'😀ü'.repeat(piece)}"} `;
      const { id, row } = await record(team.id, payload);
      assert.equal(await countPieces(row), 4);
      assert.equal((await load(member.headers, id)).body, payload);
    }
  });

  test('is sealed, each piece in its own place', async () => {
    const { team, member } = await createTeam();
    const { id, row } = await record(team.id, `"${'very secret '.repeat(50_000)}"`);
    const rows = await house.app.database.all<{ content: string }>(
      'select content from event_payload_pieces where event_id = $1',
      [row],
    );
    assert.equal(rows.length, 3);
    for (const { content } of rows) assert.doesNotMatch(content, /secret/);
    const swap = 'update event_payload_pieces set piece = $2 where event_id = $1 and piece = $3';
    await house.app.database.transaction(async (tx) => {
      for (const [to, from] of [
        [9, 0],
        [0, 1],
        [1, 9],
      ] as const)
        await tx.run(swap, [row, to, from]);
    });
    assert.equal((await load(member.headers, id)).statusCode, 500);
  });

  test('is nobody else’s, and nothing is said about whether there is one', async () => {
    const [one, other] = [await createTeam(), await createTeam()];
    const { id } = await record(one.team.id, jsonOf(20_000));
    const unknown = toEventId('019f7a2c-5d11-7c30-9f42-8a7be0c1d2e3');
    const answers = [await load(other.admin.headers, id), await load(other.admin.headers, unknown)];
    answers.push(await load(one.admin.headers, 'nonsense'));
    for (const answer of answers) {
      assert.equal(answer.statusCode, 404);
      assert.equal(answer.json().detail, answers[0]?.json().detail);
    }
    assert.equal((await load({}, id)).statusCode, 401);
    assert.equal((await load(OPERATOR, id, '/api/operator/events')).statusCode, 404);
    assert.equal((await load(one.admin.headers, id, '/api/operator/events')).statusCode, 401);
  });

  test('is the operator’s to read for customers, and of what fits no connection', async () => {
    const customer = await putCustomer(house, `customer-${++teams}`);
    const theirs = await record(customer.id, jsonOf(20_000));
    assert.equal((await load(OPERATOR, theirs.id, '/api/operator/events')).body, jsonOf(20_000));
    const firstTeamId = await house.app.events.getFirstTeamId();
    const unmatched = await record(firstTeamId, jsonOf(20_000), { type: 'provider.unmatched' });
    const answer = await house.server.inject({
      url: '/api/operator/events?type=provider.unmatched',
      headers: OPERATOR,
    });
    const { payloadUrl } = answer.json().events[0].data;
    assert.equal(payloadUrl, `${house.config.url}/api/operator/events/${unmatched.id}/payload`);
    assert.equal((await load(OPERATOR, unmatched.id, '/api/operator/events')).statusCode, 200);
    const admin = { authorization: `Bearer ${house.config.adminToken?.reveal()}` };
    assert.equal((await load(admin, unmatched.id)).statusCode, 404);
  });

  test('is gone with what it is about, and with nothing else', async () => {
    const { team, member } = await createTeam();
    const erased = await record(team.id, jsonOf(20_000), { connection: 'erased' });
    const kept = await record(team.id, jsonOf(20_000), { connection: 'kept' });
    await house.app.database.transaction((tx) => eraseAbout(tx, team.id, ['erased']));
    assert.deepEqual([await countPieces(erased.row), await countPieces(kept.row)], [0, 1]);
    assert.equal((await load(member.headers, erased.id)).statusCode, 404);
    assert.equal((await load(member.headers, kept.id)).statusCode, 200);
  });

  test('is gone with its team', async () => {
    const [one, other] = [await createTeam(), await createTeam()];
    const erased = await record(one.team.id, jsonOf(600_000));
    const kept = await record(other.team.id, jsonOf(600_000));
    await house.app.events.eraser.erase({ teamId: one.team.id, pace: async () => undefined } as never);
    assert.deepEqual([await countPieces(erased.row), await countPieces(kept.row)], [0, 3]);
  });

  test('is not stored if what caused it is rolled back', async () => {
    const { team } = await createTeam();
    const { database, events } = house.app;
    const before = await database.all('select 1 as one from event_payload_pieces');
    const event = providerEvent(team.id, { payload: jsonOf(20_000) });
    const broken = database.transaction(async (tx) => {
      await events.record(tx, event);
      throw new Error('It breaks.');
    });
    await assert.rejects(broken, /It breaks/);
    assert.equal((await database.all('select 1 as one from event_payload_pieces')).length, before.length);
  });

  test('can have 25 MiB, which holds up nobody else for long', async () => {
    const { team, member } = await createTeam();
    const payload = jsonOf(25 * 2 ** 20);
    const turns = countTurns();
    const { id, row } = await record(team.id, payload);
    const count = turns.stop();
    assert.equal(await countPieces(row), 100);
    // On SQLite, pieces share a turn for a few milliseconds. If nobody gave way, there would be one or two.
    assert.ok(count >= 5, `Others had ${count} turns while 100 pieces were stored.`);
    assert.equal((await load(member.headers, id)).body.length, payload.length);
    await assert.rejects(record(team.id, `${payload} `), /at most 25 MiB/);
  });

  test('is gone after 30 days', async () => {
    const { team, member } = await createTeam();
    const { id, row } = await record(team.id, jsonOf(600_000));
    await house.server.inject({ url: '/api/events', headers: member.headers });
    clock.advance(31 * DAY_MS);
    const later = await record(team.id, jsonOf(20_000));
    await house.app.events.prune();
    assert.deepEqual([await countPieces(row), await countPieces(later.row)], [0, 1]);
    assert.equal((await load(member.headers, id)).statusCode, 404);
  });
});
