import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import { createTestApp, SECRETS } from '../harness/app.ts';
import { createDatabaseAt, databaseUrl } from '../harness/databases.ts';
import { startPostgresqlServer } from '../harness/postgresql-server.ts';
import { type Answer, expectProblem, toAnswer } from '../harness/problem.ts';
import type { Serving } from '../harness/serve-process.ts';
import { openServeStage } from '../harness/serve-stage.ts';
import { startTcpProxy } from '../harness/tcp-proxy.ts';
import { waitUntil } from '../harness/wait-until.ts';

const SETTINGS = { ...SECRETS, NODE_ENV: 'production', HOST: '127.0.0.1' };
const OTHER_RING = 'k1:Zk3Xv8Lq1Wn6Rb9Yt2Hc7Jd4Mf0Ps5Gw8Xe1Qa6U7i0=';
const LONGEST_MS = 15_000;

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const asAdmin = bearer(SECRETS.PATCHBAY_ADMIN_TOKEN);

/** Sends a request, and fails if the response takes longer than any may. */
const ask = async (serving: Serving, path: string, init: RequestInit = {}): Promise<Answer> => {
  const response = await serving.fetch(path, { ...init, signal: AbortSignal.timeout(LONGEST_MS) });
  return { status: response.status, headers: Object.fromEntries(response.headers), body: await response.text() };
};

const createToken = (serving: Serving, headers: Record<string, string> = asAdmin) =>
  ask(serving, '/api/tokens', {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: '{"name":"made"}',
  });

const isReady = (serving: Serving) => async () => (await ask(serving, '/readyz')).status === 200;

const expectAlive = async (serving: Serving) => assert.equal((await ask(serving, '/healthz')).status, 200);

const readDatabaseUp = async (serving: Serving): Promise<string | undefined> => {
  const { status, body } = await ask(serving, '/metrics', { headers: bearer(SECRETS.METRICS_TOKEN) });
  assert.equal(status, 200);
  return /^patchbay_database_up (\d)$/m.exec(body)?.[1];
};

/** What every endpoint does while the database is away. */
const expectAway = async (serving: Serving, token: string): Promise<void> => {
  await expectAlive(serving);
  assert.equal(expectProblem(await ask(serving, '/readyz'), 503, 'readiness').code, 'operations.not_ready');
  const asked = [
    ask(serving, '/api/team', { headers: asAdmin }),
    ask(serving, '/api/team', { headers: bearer(token) }),
    ask(serving, '/api/audit', { headers: bearer(token) }),
    ask(serving, '/api/members/unknown', { method: 'DELETE', headers: asAdmin }),
    createToken(serving),
  ];
  for (const answer of await Promise.all(asked)) {
    assert.equal(expectProblem(answer, 503, 'with a valid credential').code, 'http.database_away');
  }
  assert.equal((await ask(serving, '/sign-in')).status, 200, 'A page that needs no database is there.');
  assert.equal(await readDatabaseUp(serving), '0');
  expectProblem(await ask(serving, '/api/team'), 401, 'without a credential');
};

const readDebug = async (serving: Serving) => {
  const answer = await ask(serving, '/api/debug/db', { headers: bearer(SECRETS.DEBUG_TOKEN) });
  assert.equal(answer.status, 200, answer.body);
  return JSON.parse(answer.body);
};

const NOTHING_KNOWN = {
  ok: false,
  engine: 'postgresql',
  version: null,
  roundTripMs: null,
  clockSkewMs: null,
  sizeBytes: null,
  integrity: null,
  migrations: { applied: null, expected: null, pending: null },
  tables: [],
  pool: null,
  jobs: { queued: null, active: null, failed: null, oldestSeconds: null },
  cron: { lastRunAt: null },
  backup: { lastAt: null, bytes: null },
};

describe('while the database is down', { concurrency: 3 }, () => {
  test('a running process says so, keeps going and recovers by itself; so does one that starts meanwhile', async (context) => {
    const stage = openServeStage(context);
    const server = await startPostgresqlServer();
    context.after(() => server.remove());
    const newSettings = () => ({ ...SETTINGS, DATABASE_URL: server.url, PATCHBAY_DATA: stage.newDirectory() });
    const serving = await stage.serve(newSettings());
    await serving.ready(30_000);
    const { token } = JSON.parse((await createToken(serving)).body);
    assert.equal((await readDebug(serving)).ok, true);
    assert.equal(await readDatabaseUp(serving), '1');

    await server.stopAtOnce();
    await expectAway(serving, token);
    assert.deepEqual(await readDebug(serving), NOTHING_KNOWN);
    const isAudited = () =>
      serving.output.stdout
        .split('\n')
        .some((line) => line.includes('"action":"debug.read"') && line.includes('database is unavailable'));
    await waitUntil('the log has what the audit could not take', isAudited);
    const crowd = await Promise.all(Array.from({ length: 50 }, () => ask(serving, '/api/team', { headers: asAdmin })));
    for (const answer of crowd) expectProblem(answer, 503, 'one of fifty');

    const late = await stage.serve(newSettings());
    const wrong = await stage.serve({ ...newSettings(), PATCHBAY_KEYS: OTHER_RING });
    for (const one of [late, wrong]) {
      await waitUntil('it is alive', async () => (await one.fetch('/healthz').catch(() => null))?.status === 200);
      expectProblem(await ask(one, '/readyz'), 503, 'a process that starts meanwhile');
      expectProblem(await ask(one, '/api/team', { headers: asAdmin }), 503, 'a process that starts meanwhile');
    }

    await server.start();
    for (const one of [serving, late]) {
      await waitUntil('it is ready by itself', isReady(one), 20_000);
      await waitUntil('it lets callers in', async () => (await createToken(one)).status === 201, 20_000);
      assert.equal((await ask(one, '/api/team', { headers: bearer(token) })).status, 200);
      assert.ok(one.isRunning());
    }
    assert.equal((await readDebug(serving)).ok, true);
    assert.equal(await readDatabaseUp(serving), '1');

    // The third can't decrypt the keys of the database that it waited for.
    assert.equal((await wrong.ended()).code, 1);
    assert.equal(wrong.errorLines().length, 1, wrong.output.stderr);
    assert.match(wrong.output.stderr, /^PATCHBAY_KEYS/);
  });

  test('because the network is silent, nothing waits longer than allowed, and everything recovers', async (context) => {
    const stage = openServeStage(context);
    const server = process.env['PATCHBAY_TEST_POSTGRESQL'] ?? '';
    const name = `silent_${randomBytes(6).toString('hex')}`;
    await createDatabaseAt(server, name);
    const proxy = await startTcpProxy({ host: '127.0.0.1', port: Number(new URL(server).port) });
    context.after(() => proxy.close());
    const url = Object.assign(new URL(databaseUrl(server, name)), { port: String(proxy.port) }).href;
    const serving = await stage.serve({ ...SETTINGS, DATABASE_URL: url, PATCHBAY_DATA: stage.newDirectory() });
    await serving.ready(30_000);
    const { token } = JSON.parse((await createToken(serving)).body);

    proxy.freeze();
    const [debug] = await Promise.all([readDebug(serving), expectAway(serving, token)]);
    assert.deepEqual(debug, NOTHING_KNOWN);

    proxy.thaw();
    await waitUntil('it is ready by itself', isReady(serving), 20_000);
    await waitUntil('it lets callers in', async () => (await createToken(serving)).status === 201, 20_000);
    assert.ok(serving.isRunning());
  });

  test('because every connection is taken, the debug endpoint still responds and callers are told to retry', async (context) => {
    const stage = await createTestApp('postgresql', { env: { DATABASE_POOL_SIZE: '2' } });
    const { promise: finished, resolve: finish } = Promise.withResolvers<void>();
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    let holding = 0;
    const hold = () =>
      stage.app.database.transaction(async (tx) => {
        await tx.get('select 1 as one');
        if (++holding === 2) begin();
        await finished;
      });
    const held = Promise.all([hold(), hold()]);
    context.after(async () => {
      finish();
      await stage.close();
    });
    await begun;
    const debug = stage.server.inject({ url: '/api/debug/db', headers: bearer(SECRETS.DEBUG_TOKEN) });
    const team = stage.server.inject({ url: '/api/team', headers: asAdmin });
    const { ok, pool, migrations } = (await debug).json();
    assert.equal(ok, true);
    assert.deepEqual({ size: pool.size, idle: pool.idle }, { size: 2, idle: 0 });
    assert.equal(migrations.pending, 0);
    assert.equal(expectProblem(toAnswer(await team), 503, 'a caller').code, 'http.database_away');
    finish();
    await held;
    assert.equal((await stage.server.inject({ url: '/api/team', headers: asAdmin })).statusCode, 200);
  });
});
