import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { createTestApp, SECRETS, type TestApp } from '../../test/harness/app.ts';
import { onEachEngine } from '../../test/harness/databases.ts';
import { expectProblem, toAnswer } from '../../test/harness/problem.ts';
import { waitUntil } from '../../test/harness/wait-until.ts';
import { readMigrations } from '../platform/index.ts';

onEachEngine('operations', (engine) => {
  let house: TestApp;

  beforeEach(async () => {
    house = await createTestApp(engine);
  });

  afterEach(() => house.close());

  const debug = (token: string = SECRETS.DEBUG_TOKEN) =>
    house.server.inject({ url: '/api/debug/db', headers: { authorization: `Bearer ${token}` } });

  const readMetrics = () =>
    house.server.inject({ url: '/metrics', headers: { authorization: `Bearer ${SECRETS.METRICS_TOKEN}` } });

  test('the debug endpoint returns the state of the database in the documented format', async () => {
    const answer = (await debug()).json();
    assert.deepEqual(Object.keys(answer).sort(), [
      'backup',
      'clockSkewMs',
      'cron',
      'engine',
      'integrity',
      'jobs',
      'migrations',
      'ok',
      'pool',
      'roundTripMs',
      'sizeBytes',
      'tables',
      'version',
    ]);
    assert.equal(answer.ok, true);
    assert.equal(answer.engine, engine);
    assert.equal(answer.integrity, 'ok');
    const known = readMigrations().length;
    assert.deepEqual(answer.migrations, { applied: known, expected: known, pending: 0 });
    assert.ok(answer.tables.some(({ name, bytes }: { name: string; bytes: number }) => name === 'teams' && bytes > 0));
    assert.deepEqual(answer.jobs, { queued: 0, active: 0, failed: 0, oldestSeconds: null });
    assert.deepEqual(answer.cron, { lastRunAt: null });
    assert.deepEqual(answer.backup, { lastAt: null, bytes: null });
    assert.equal(answer.pool === null, engine === 'sqlite');
  });

  test('the debug endpoint requires its own token, and reading it is audited', async () => {
    for (const token of [SECRETS.PATCHBAY_ADMIN_TOKEN, SECRETS.CRON_SECRET, SECRETS.METRICS_TOKEN, 'undefined']) {
      assert.equal((await debug(token)).statusCode, 401);
    }
    await debug();
    const read = () => house.app.database.all("select team_id from audit_events where action = 'debug.read'");
    await waitUntil('it is audited', async () => (await read()).length > 0);
    assert.deepEqual(
      (await read()).map((row) => ({ ...row })),
      [{ team_id: null }],
    );
  });

  test('a pending migration means not ready and not ok', async () => {
    assert.equal((await house.server.inject({ url: '/readyz' })).statusCode, 200);
    await house.app.database.run('delete from schema_migrations where id = (select max(id) from schema_migrations)');
    const ready = await house.server.inject({ url: '/readyz' });
    assert.equal(ready.statusCode, 503);
    assert.ok(ready.headers['retry-after']);
    assert.equal((await debug()).json().ok, false);
  });

  test('a process without a key that the database needs is not ready, and says so', async () => {
    const { database } = house.app;
    await database.run("update team_keys set ring_key_id = 'k2'");
    const ready = await house.server.inject({ url: '/readyz' });
    await database.run("update team_keys set ring_key_id = 'k1'");
    assert.equal(ready.statusCode, 503);
    assert.match(ready.json().detail, /PATCHBAY_KEYS of this process lacks a key/);
    const { admin } = await house.createTeam('rotated');
    const putKey = () =>
      house.server.inject({
        method: 'PUT',
        url: '/api/integrations/google/credentials',
        headers: admin.headers,
        payload: { clientId: 'id', clientSecret: 'secret' },
      });
    await database.run("update team_keys set ring_key_id = 'k2'");
    const refused = expectProblem(toAnswer(await putKey()), 503, 'a request that needs the key');
    await database.run("update team_keys set ring_key_id = 'k1'");
    assert.equal(refused.code, 'http.key_missing');
    assert.equal((await putKey()).statusCode, 200);
  });

  test('a damaged database is not ok', async () => {
    const { database } = house.app;
    const { diagnose } = database;
    const diagnoseDamage: typeof diagnose = async (ms) => ({ ...(await diagnose(ms)), integrity: 'damaged' });
    Object.assign(database, { diagnose: diagnoseDamage });
    const { ok, integrity, migrations } = (await debug()).json();
    assert.deepEqual([ok, integrity, migrations.pending], [false, 'damaged', 0]);
  });

  test('readiness includes the number of migrations, and health needs no database', async () => {
    assert.equal((await house.server.inject({ url: '/readyz' })).json().status, 'ready');
    assert.deepEqual((await house.server.inject({ url: '/healthz' })).json(), { status: 'ok' });
  });

  test('metrics count requests by route pattern, and contain no URLs', async () => {
    const { member } = await house.createTeam('acme');
    await house.server.inject({ method: 'DELETE', url: '/api/tokens/some-id-of-a-token', headers: member.headers });
    const { body, statusCode } = await readMetrics();
    assert.equal(statusCode, 200);
    assert.match(
      body,
      /patchbay_http_request_seconds_count\{route="\/api\/tokens\/:id",method="DELETE",status="404"\} 1/,
    );
    assert.match(body, /patchbay_jobs\{state="queued"\} 0/);
    assert.ok(!body.includes('some-id-of-a-token'));
  });

  test('metrics show no jobs while those cannot be counted, rather than those of before', async () => {
    const { jobs } = house.app;
    const { count } = jobs;
    const readQueued = async (): Promise<string | undefined> =>
      /^patchbay_jobs\{state="queued"\} (\d+)$/m.exec((await readMetrics()).body)?.[1];
    const known = await readQueued();
    assert.ok(known);
    Object.assign(jobs, { count: () => Promise.reject(new Error('The connection was lost.')) });
    assert.equal(await readQueued(), undefined);
    Object.assign(jobs, { count });
    assert.equal(await readQueued(), known);
  });
});
