import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { connectAgent } from '../harness/agent.ts';
import { BROWSER } from '../harness/connect-flow.ts';
import { onEachEngine } from '../harness/databases.ts';
import { openProxyStage, problemIn } from '../harness/proxy-stage.ts';
import { makeToken } from '../harness/restricted-token.ts';
import { openSession } from '../harness/sessions.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

const MINUTE_MS = 60_000;
const LOG = '/api/integrations/requests';

type Listed = {
  id: string;
  at: string;
  connection: string;
  account: { id: string; label: string } | null;
  method: string | null;
  path: string | null;
  host: string | null;
  status: number | null;
  from: string;
  failed: boolean;
  retried: boolean;
  requestBytes: number | null;
  responseBytes: number | null;
  by: { kind: string; id: string | null; name: string | null; via: string; userId: string };
};

onEachEngine('the log of requests', (engine) => {
  const stage = useStage(() => openProxyStage(engine));
  afterEach(async () => {
    stage.api.reset();
    await stage.removeConnections();
  });

  type Connected = Awaited<ReturnType<typeof stage.connected>>;

  const read = async ({ headers }: Pick<Connected, 'headers'>, query = '') => {
    const answer = await stage.call(`${LOG}${query}`, { headers });
    assert.equal(answer.status, 200, answer.body);
    return JSON.parse(answer.body) as { requests: Listed[]; nextCursor: string | null };
  };

  /** Waits until this many are listed: they are written behind the responses. */
  const listed = async (team: Pick<Connected, 'headers'>, number: number, query = ''): Promise<Listed[]> => {
    let requests: Listed[] = [];
    await waitUntil(`${number} are listed`, async () => {
      ({ requests } = await read(team, query));
      return requests.length >= number;
    });
    assert.equal(requests.length, number);
    return requests;
  };

  const send = async ({ headers }: Pick<Connected, 'headers'>, path: string, options = {}): Promise<number> => {
    stage.clock.advance(1_000);
    return (await stage.call(stage.proxied(path), { headers, ...options })).status;
  };

  test('names each use of a credential once, with its token and its account', async () => {
    const team = await stage.connected();
    const old = await team.at.token('acme-full');
    const { account } = await team.at.status('acme-full');
    assert.equal(await send(team, 'items/1?secret=yes', { method: 'POST', body: 'hello' }), 200);
    stage.api.answer((_request, response) => response.writeHead(404).end('none'));
    assert.equal(await send(team, 'gone', { headers: { ...team.headers, 'patchbay-host': 'uploads' } }), 404);
    stage.clock.advance(2 * MINUTE_MS);
    stage.api.answer((request, response) =>
      response.writeHead(request.headers.authorization === `Bearer ${old}` ? 401 : 200).end('ok'),
    );
    assert.equal(await send(team, 'renewed'), 200);
    stage.api.answer((request) => request.socket.destroy());
    assert.equal(await send(team, 'broken', { method: 'DELETE' }), 502);

    const requests = await listed(team, 5);
    assert.deepEqual(
      requests.map(({ method, path, host, status, from, failed, retried }) =>
        [method, path, host, status, from, failed, retried].join(' '),
      ),
      [
        'DELETE /broken  502 patchbay true false',
        'GET /renewed  200 provider false true',
        'GET /gone uploads 404 provider true false',
        'POST /items/1  200 provider false false',
        '   200 patchbay false false',
      ],
    );
    const [token] = await stage.app.database.all<{ id: string; name: string }>(
      'select id, name from access_tokens where user_id = $1',
      [team.admin.user.id],
    );
    for (const { by, account: used, connection } of requests) {
      assert.deepEqual([by.id, by.name, by.via, by.userId], [token?.id, token?.name, 'token', team.admin.user.id]);
      assert.deepEqual(used, account);
      assert.equal(connection, 'default');
    }
    assert.deepEqual(
      requests.map(({ by }) => by.kind),
      ['proxy', 'proxy', 'proxy', 'proxy', 'hand_out'],
    );
    const sent = requests.at(-2);
    assert.deepEqual([sent?.requestBytes, sent?.responseBytes], [5, '{"ok":true}'.length]);
    assert.equal(Date.parse(requests[0]?.at ?? ''), stage.clock.now());
  });

  test('names a request that the provider refused while its credential could not be renewed', async () => {
    const { database, pause } = stage.app;
    const team = await stage.connected();
    const setPause = async (isPaused: boolean): Promise<void> => {
      const set = isPaused ? { at: stage.clock.now(), reason: 'A test.' } : null;
      await database.transaction((tx) => pause.set(tx, set));
      await waitUntil('the service notices', async () => ((await pause.read()) !== null) === isPaused);
    };
    stage.clock.advance(2 * MINUTE_MS);
    stage.api.answer(async (_request, response) => {
      await setPause(true);
      response.writeHead(401).end('refused');
    });
    assert.equal(await send(team, 'used', { method: 'DELETE' }), 503);
    await setPause(false);
    const [used] = await listed(team, 1);
    assert.deepEqual(
      [used?.method, used?.path, used?.status, used?.from, used?.failed],
      ['DELETE', '/used', 503, 'patchbay', true],
    );
  });

  test('is read in pages, also where groups of requests overlap, and can be filtered', async () => {
    const team = await stage.connected('one');
    await team.at.connect('acme-full', stage.newAccount(), { connection: 'two' });
    const number = 24;
    stage.api.answer((request, response) => response.writeHead(request.url?.includes('bad') ? 500 : 200).end());
    for (let index = 0; index < number; index++) {
      stage.clock.advance(index % 5 === 0 ? 2_000 : 100);
      const path = `${index % 8 === 0 ? 'bad' : 'item'}/${index}?connection=${index % 2 === 0 ? 'one' : 'two'}`;
      await stage.call(stage.proxied(path), { headers: team.headers });
    }
    const all = await listed(team, number);
    assert.deepEqual(
      all.map(({ path }) => Number(path?.split('/').at(-1))),
      Array.from({ length: number }, (_, index) => number - 1 - index),
    );
    const paged: Listed[] = [];
    for (let cursor = ''; ; ) {
      const page = await read(team, `?limit=5${cursor}`);
      paged.push(...page.requests);
      if (page.nextCursor === null) break;
      assert.equal(page.requests.length, 5);
      cursor = `&cursor=${page.nextCursor}`;
    }
    assert.deepEqual(paged, all);
    assert.deepEqual(
      (await read(team, '?provider=acme-full&connection=one')).requests.map(({ id }) => id),
      all.filter(({ connection }) => connection === 'one').map(({ id }) => id),
    );
    assert.deepEqual(
      (await read(team, '?failed=1')).requests.map(({ path }) => path),
      ['/bad/16', '/bad/8', '/bad/0'],
    );
    const [since, until] = [all[9]?.at ?? '', all[4]?.at ?? ''];
    assert.deepEqual(
      (await read(team, `?since=${since}&until=${until}`)).requests.map(({ id }) => id),
      all.slice(5, 10).map(({ id }) => id),
    );
    assert.deepEqual((await read(team, '?provider=acme-plain')).requests, []);
    assert.deepEqual((await read(team, '?token=none')).requests, []);
    assert.equal(
      problemIn(await stage.call(`${LOG}?cursor=x`, { headers: team.headers })),
      'integrations.cursor_invalid',
    );
  });

  test("shows a team only its own requests, keeps paths sealed, and isn't for members", async () => {
    const [one, other] = [await stage.connected(), await stage.connected()];
    await send(one, 'secret-canary/of-one');
    await listed(one, 1);
    assert.deepEqual((await read(other)).requests, []);
    const [token] = await stage.app.database.all<{ id: string }>('select id from access_tokens where user_id = $1', [
      one.admin.user.id,
    ]);
    assert.deepEqual((await read(other, `?token=${token?.id}`)).requests, []);
    assert.equal((await stage.call(LOG, { headers: one.member.headers })).status, 403);
    const rows = await stage.app.database.all('select * from request_groups');
    assert.ok(rows.length > 0);
    assert.doesNotMatch(JSON.stringify(rows), /canary/);
  });

  test('forgets requests after seven days', async () => {
    const team = await stage.connected();
    await send(team, 'old');
    await listed(team, 1);
    stage.clock.advance(7 * 24 * 60 * MINUTE_MS - 1);
    assert.equal((await read(team)).requests.length, 1);
    stage.clock.advance(1_001);
    assert.deepEqual((await read(team)).requests, []);
  });

  test('has what the rights of a token refused, and by which way it came', async () => {
    const team = await stage.connected();
    const allow = [{ provider: 'acme-full', connection: 'default', paths: ['/things'] }];
    const token = await makeToken(stage.server, team.headers, { allow });
    const agent = await connectAgent(stage.port, token);
    const statuses = [];
    for (const [path, options] of [
      ['things', {}],
      ['elsewhere?secret=1', {}],
      ['things', { method: 'DELETE' }],
      ['things', { headers: { 'x-http-method-override': 'DELETE' } }],
      ['things?connection=other', {}],
    ] as [string, { method?: string; headers?: Record<string, string> }][])
      statuses.push(
        (await stage.call(stage.proxied(path), { ...options, headers: { ...token, ...options.headers } })).status,
      );
    assert.deepEqual(statuses, [200, 403, 403, 403, 403]);
    await agent.call('call_api', { provider: 'acme-full', path: '/things' });
    await agent.call('call_api', { provider: 'acme-full', path: '/never', host: '<b>' });
    await agent.close();
    const requests = await listed(team, 7);
    const told = requests.map(({ method, path, status, from, failed, connection, host, by }) =>
      [method, path, status, from, failed, connection, host, by.kind, by.name].join(' '),
    );
    assert.deepEqual(told.sort(), [
      'DELETE /things 403 patchbay true   proxy agent',
      'GET /elsewhere 403 patchbay true   proxy agent',
      'GET /never 403 patchbay true   mcp agent',
      'GET /things 200 provider false default  mcp agent',
      'GET /things 200 provider false default  proxy agent',
      'GET /things 403 patchbay true   proxy agent',
      'GET /things 403 patchbay true other  proxy agent',
    ]);
    const session = await openSession(stage, team.admin.user);
    for (const { id } of requests) {
      const page = await stage.server.inject({ url: `/requests/${id}`, headers: { ...BROWSER, ...session.headers } });
      assert.equal(page.statusCode, 200);
    }
    const failed = await listed(team, 5, '?failed=1');
    assert.equal(failed.length, 5);
  });
});
