import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestApp, createTestClock, createTestLog } from '../../../test/harness/app.ts';
import { onEachEngine } from '../../../test/harness/databases.ts';
import { prepare, useStage } from '../../../test/harness/use-stage.ts';
import { waitUntil } from '../../../test/harness/wait-until.ts';
import { type Database, DatabaseUnavailable, timeOfId } from '../../platform/index.ts';
import { AUDIT_EVENTS, auditRow } from '../../teams/audit/audit-store.ts';
import { limitRequests, MOST_REQUESTS } from './limit-requests.ts';
import { listRequests } from './list-requests.ts';
import type { LoggedRequest, RequestSource } from './logged-request.ts';
import { countByCaller, groupRow, REQUEST_GROUPS } from './request-group-store.ts';
import { createRequestLog } from './request-log.ts';

const REQUEST: Omit<LoggedRequest, 'id' | 'at'> = {
  method: 'GET',
  host: null,
  path: '/me',
  status: 200,
  from: 'provider',
  failed: false,
  retried: false,
  ms: 12,
  requestBytes: 0,
  responseBytes: 2,
};

onEachEngine('the request log', (engine) => {
  const clock = createTestClock();
  const stage = useStage(() => createTestApp(engine, { clock }));
  const app = prepare(async () => stage.app);
  let teams = 0;

  const newSource = async (changes: Partial<RequestSource> = {}): Promise<RequestSource> => {
    const { team, admin } = await stage.createTeam(`requests${teams++}`);
    return {
      teamId: team.id,
      connectionId: 'c',
      provider: 'acme',
      connection: 'default',
      accountId: null,
      accountLabel: null,
      kind: 'proxy',
      via: 'token',
      userId: admin.user.id,
      tokenId: 'token',
      tokenName: 'script',
      ...changes,
    };
  };

  const open = (database: Database = app.database) => {
    const { log, lines } = createTestLog();
    const { newId, vault } = app;
    return { ...createRequestLog({ database, clock, newId, log, vault }), lines };
  };

  const listPaths = async (teamId: string): Promise<(string | undefined)[]> => {
    const { rows } = await listRequests(app, teamId, { limit: 100 });
    return rows.map(({ request }) => request?.path);
  };

  test('keeps requests while the database is away, and writes each once when it is back', async () => {
    const source = await newSource();
    let tries = 0;
    const insertRows: Database['insertRows'] = (into, rows) => {
      if (++tries <= 2) throw new DatabaseUnavailable('It is away.');
      return app.database.insertRows(into, rows);
    };
    const log = open({ ...app.database, insertRows });
    log.add(source, { ...REQUEST, path: '/one' });
    await waitUntil('it was tried', () => tries > 0);
    clock.advance(1);
    log.add(source, { ...REQUEST, path: '/two' });
    await waitUntil('they are written', async () => (await listPaths(source.teamId)).length === 2);
    await log.close();
    assert.deepEqual(await listPaths(source.teamId), ['/two', '/one']);
  });

  test('keeps all of them, also more than it writes at once', async () => {
    const source = await newSource();
    let tries = 0;
    const insertRows: Database['insertRows'] = (into, rows) => {
      if (++tries === 1) throw new DatabaseUnavailable('It is away.');
      return app.database.insertRows(into, rows);
    };
    const log = open({ ...app.database, insertRows });
    for (let number = 0; number < 101; number++) log.add({ ...source, connectionId: `c${number}` }, REQUEST);
    await log.close();
    assert.deepEqual(await countByCaller(app.database, source.teamId), []);
    await log.close();
    const counts = await countByCaller(app.database, source.teamId);
    assert.deepEqual(
      counts.map(({ number }) => number),
      [101],
    );
  });

  test('loses no request to another caller who makes too many', async () => {
    const source = await newSource();
    const log = open();
    for (let number = 0; number < 4_010; number++) log.add({ ...source, tokenId: 'flood' }, REQUEST);
    log.add(source, REQUEST);
    await log.close();
    const counts = await countByCaller(app.database, source.teamId);
    assert.deepEqual(
      counts.map(({ caller, number }) => `${caller} ${number}`).sort(),
      ['flood 4000', 'token 1'],
      'Ten of the flood had to go.',
    );
    assert.deepEqual(
      log.lines.map(({ fields }) => fields),
      [{ lost: 10 }],
    );
  });

  test('loses no request to a person who makes too many with several tokens', async () => {
    const source = await newSource();
    const log = open();
    for (let number = 0; number < 8_001; number++) log.add({ ...source, tokenId: `flood ${number % 8}` }, REQUEST);
    log.add({ ...source, userId: 'somebody else', tokenId: 'quiet' }, REQUEST);
    await log.close();
    const numbers = (await countByCaller(app.database, source.teamId)).map(({ number }) => Number(number));
    assert.deepEqual(numbers.sort(), [1, ...Array.from({ length: 8 }, () => 1_000)]);
    assert.deepEqual(
      log.lines.map(({ fields }) => fields),
      [{ lost: 1 }],
    );
  });

  test('tells the operator apart from the user whom it acts for', async () => {
    const source = await newSource({ tokenId: null, tokenName: null, via: 'jwt' });
    const log = open();
    log.add(source, REQUEST);
    log.add({ ...source, via: 'operator' }, REQUEST);
    await log.close();
    const counts = await countByCaller(app.database, source.teamId);
    assert.deepEqual(counts.map(({ caller }) => caller).sort(), ['operator', `user:${source.userId}`]);
    const { rows } = await listRequests(app, source.teamId, { limit: 2 });
    assert.deepEqual(rows.map(({ via, userId }) => `${via} ${userId}`).sort(), [
      `jwt ${source.userId}`,
      `operator ${source.userId}`,
    ]);
  });

  test('lists requests from before the clock was set back, too', async () => {
    const source = await newSource();
    const log = open();
    log.add(source, { ...REQUEST, path: '/later' });
    clock.advance(-3_600_000);
    log.add(source, { ...REQUEST, path: '/earlier' });
    await log.close();
    clock.advance(3_600_001);
    assert.deepEqual(await listPaths(source.teamId), ['/later', '/earlier']);
    const { rows, nextCursor } = await listRequests(app, source.teamId, { limit: 1 });
    assert.equal(rows[0]?.request?.path, '/later');
    const next = await listRequests(app, source.teamId, { limit: 1, cursor: nextCursor ?? '' });
    assert.equal(next.rows[0]?.request?.path, '/earlier');
  });

  test("writes what others requested although one team's requests can't be stored", async () => {
    const source = await newSource();
    const log = open();
    log.add({ ...source, teamId: 'gone' }, REQUEST);
    log.add(source, REQUEST);
    await log.close();
    assert.equal((await listPaths(source.teamId)).length, 1);
  });

  test('takes a path of 8,000 characters, with markup and a token in it, and stores it sealed', async () => {
    const source = await newSource();
    const path = `/<script>/pb_canary_${'x'.repeat(7_900)}`;
    const log = open();
    for (let number = 0; number < 20; number++) log.add(source, { ...REQUEST, path });
    await log.close();
    assert.deepEqual(
      await listPaths(source.teamId),
      Array.from({ length: 20 }, () => path),
    );
    const rows = await app.database.all('select * from request_groups where team_id = $1', [source.teamId]);
    assert.ok(rows.length > 1, 'So much text is stored in several groups.');
    assert.doesNotMatch(JSON.stringify([rows, log.lines]), /canary|script>/);
  });

  test('looks at so many hand-outs for a page, and goes on with the next one', async () => {
    const { teamId } = await newSource();
    const put = async (provider: string, number: number): Promise<void> => {
      const rows = Array.from({ length: number }, () => {
        clock.advance(1);
        const actor = { actor: 'user', actorId: null, address: null, requestId: null } as const;
        const event = { ...actor, id: app.newId(), at: clock.now(), action: 'integration.token', target: provider };
        return auditRow(teamId, { ...event, detail: JSON.stringify({ connection: 'default' }) });
      });
      for (let at = 0; at < rows.length; at += 1_000)
        await app.database.insertRows(AUDIT_EVENTS, rows.slice(at, at + 1_000));
    };
    await put('rare', 1);
    await put('usual', 7_000);
    const log = open();
    log.add({ ...(await newSource()), teamId, provider: 'rare' }, REQUEST);
    await log.close();
    const found: string[] = [];
    let pages = 0;
    for (let cursor: string | null = ''; cursor !== null; pages++) {
      const query = { limit: 10, provider: 'rare', ...(cursor === '' ? {} : { cursor }) };
      const { rows, nextCursor } = await listRequests(app, teamId, query);
      found.push(...rows.map(({ kind }) => kind));
      cursor = nextCursor;
    }
    assert.deepEqual([pages, found], [2, ['proxy', 'hand_out']]);
  });

  test('takes any cursor that looks like one', async () => {
    const { teamId } = await newSource();
    for (const id of ['ffffffff-ffff-ffff-ffff-fffffffffffe', '00000000-0000-0000-0000-000000000000']) {
      const cursor = Buffer.from(id).toString('base64url');
      assert.deepEqual((await listRequests(app, teamId, { limit: 1, cursor })).rows, []);
    }
  });

  /** Fills the log with groups of 500 requests. */
  const openFiller = async () => {
    const { requests: _, ...stored } = {
      ...(await newSource()),
      ...{ caller: '', requests: '', failures: 0, number: 500, oldestId: '', id: '' },
    };
    const { teamId } = stored;
    return {
      async put(caller: string, groups: number, userId = stored.userId): Promise<void> {
        const rows = Array.from({ length: groups }, () => {
          clock.advance(1);
          const id = app.newId();
          return groupRow({ ...stored, caller, userId, requests: 'sealed', id, oldestId: id });
        });
        await app.database.insertRows(REQUEST_GROUPS, rows);
      },
      limit: (added: Record<string, number> = {}) =>
        limitRequests(app.database, teamId, new Map(Object.entries(added))),
      async count(): Promise<Record<string, number>> {
        const counts = await countByCaller(app.database, teamId);
        return Object.fromEntries(counts.map(({ caller, number }) => [caller, Number(number)]));
      },
      async findNewest(caller: string): Promise<number> {
        const row = await app.database.get<{ id: string }>(
          'select max(id) as id from request_groups where team_id = $1 and caller = $2',
          [teamId, caller],
        );
        return timeOfId(row?.id ?? '');
      },
    };
  };

  test('of a full team, a flood pushes out only its own requests', async () => {
    const { put, limit, count, findNewest } = await openFiller();
    const full = { large: 60_000, flood: 39_000, small: 1_000 };
    assert.equal(full.large + full.flood + full.small, MOST_REQUESTS);
    await put('large', 120);
    await put('flood', 78);
    await put('small', 2);
    await limit();
    assert.deepEqual(await count(), full);
    await put('flood', 300);
    await limit({ flood: 150_000 });
    assert.deepEqual(await count(), full);
    assert.equal(await findNewest('flood'), clock.now(), 'The newest are kept.');
  });

  test("of a full team, a person's flood with many tokens pushes out only that person's requests", async () => {
    const { put, limit, count } = await openFiller();
    const tokens = Array.from({ length: 12 }, (_, index) => `flood ${index}`);
    await put("the person's own", 1);
    await put('large', 100, 'somebody');
    await put('small', 2, 'somebody else');
    for (const token of tokens) await put(token, 19);
    await limit(Object.fromEntries(tokens.map((token) => [token, 9_500])));
    const { large, small, "the person's own": own, ...flood } = await count();
    assert.deepEqual([large, small, own], [50_000, 1_000, 500]);
    const left = Object.values(flood);
    assert.equal(left.length, tokens.length);
    for (const number of left) assert.ok(number >= 3_500 && number <= 4_000, `${number} of a token are left`);
  });
});
