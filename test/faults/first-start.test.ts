import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import pg from 'pg';
import { createDatabaseAt, databaseUrl } from '../harness/databases.ts';
import { PRODUCTION, type Serving } from '../harness/serve-process.ts';
import { openServeStage } from '../harness/serve-stage.ts';

const OTHER_KEY = 'Zk3Xv8Lq1Wn6Rb9Yt2Hc7Jd4Mf0Ps5Gw8Xe1Qa6U7i0=';

/** `curl -H 'Authorization: Bearer …' 'http://…'`, as it is printed. */
const readCurlLines = (text: string) =>
  [...text.matchAll(/^ *curl (?:-X (?<method>[A-Z]+) )?-H '(?<name>[\w-]+): (?<value>[^']+)' '(?<url>[^']+)'$/gm)].map(
    ({ groups = {} }) => ({
      url: groups['url'] ?? '',
      method: groups['method'] ?? 'GET',
      headers: { [groups['name'] ?? '']: groups['value'] ?? '' },
    }),
  );

const readSignInLink = (text: string): string => /^ *(http\S+\/sign-in\/\S+)$/m.exec(text)?.[1] ?? '';
const readToken = (text: string): string => /^ *(pb_\S+)$/m.exec(text)?.[1] ?? '';

const stop = async (serving: Serving): Promise<void> => {
  serving.kill('SIGTERM');
  assert.equal((await serving.ended()).code, 0);
};

describe('the first start', { concurrency: 3 }, () => {
  test('prints a link, a token and working curl lines once; the second start prints no secret', async (context) => {
    const stage = openServeStage(context);
    const env = { PATCHBAY_DATA: stage.newDirectory() };
    const first = await stage.serve(env);
    await first.ready();
    const { stdout } = first.output;

    const curlLines = readCurlLines(stdout);
    assert.equal(curlLines.length, stdout.split('curl ').length - 1, 'Every line was read.');
    assert.deepEqual(
      curlLines.map(({ url }) => new URL(url).pathname),
      [
        '/api/integrations/status',
        '/api/integrations/sandbox/connect',
        '/api/cron/weekly-report',
        '/api/debug/db',
        '/api/operator/teams',
      ],
    );
    for (const { url, method, headers } of curlLines) {
      const answer = await fetch(url, { method, headers });
      assert.equal(answer.status, 200, `${url}: ${await answer.text()}`);
    }
    const token = readToken(stdout);
    const asAdmin = { authorization: `Bearer ${token}` };
    const changed = await first.fetch('/api/team', {
      method: 'PATCH',
      headers: { ...asAdmin, 'content-type': 'application/json' },
      body: '{"name":"Ours"}',
    });
    assert.equal(changed.status, 200, "The token is the admin's.");
    const link = readSignInLink(stdout);
    assert.match(await (await fetch(link)).text(), /admin@localhost/);
    assert.equal((await fetch(link, { method: 'POST', redirect: 'manual' })).status, 303);

    const file = join(env.PATCHBAY_DATA, 'secrets.json');
    assert.equal(statSync(file).mode & 0o777, 0o600);
    const kept: string[] = Object.values(JSON.parse(readFileSync(file, 'utf8')));
    assert.equal(kept.length, 5);
    await stop(first);

    const second = await stage.serve(env);
    await second.ready();
    for (const secret of [token, link, ...kept.map((value) => value.replace('k1:', ''))]) {
      assert.ok(!second.output.stdout.includes(secret) && !second.output.stderr.includes(secret));
    }
    assert.doesNotMatch(second.output.stdout, /pb_|sign-in\/|Bearer/);
    assert.equal((await second.fetch('/api/team', { headers: asAdmin })).status, 200, 'What was made is kept.');
  });

  test('names a secret that was set instead of printing it', async (context) => {
    const stage = openServeStage(context);
    const secrets = {
      CRON_SECRET: 'cron-secret-that-somebody-has-set-0123',
      DEBUG_TOKEN: 'debug-token-that-somebody-has-set-0123',
      PATCHBAY_OPERATOR_TOKEN: 'operator-token-that-somebody-has-set-0',
    };
    const serving = await stage.serve({ PATCHBAY_DATA: stage.newDirectory(), ...secrets });
    await serving.ready();
    const { stdout, stderr } = serving.output;
    for (const [name, secret] of Object.entries(secrets)) {
      assert.ok(stdout.includes(`-H "Authorization: Bearer $${name}"`), name);
      assert.ok(!`${stdout}${stderr}`.includes(secret), name);
    }
  });

  test('in production creates the first team and shows no credential', async (context) => {
    const stage = openServeStage(context);
    const env = { ...PRODUCTION, PATCHBAY_DATA: stage.newDirectory() };
    const serving = await stage.serve(env);
    await serving.ready();
    assert.match(serving.output.stdout, /user link admin@localhost/);
    assert.doesNotMatch(serving.output.stdout, /pb_|sign-in\/|Bearer/);
    assert.equal((await serving.fetch('/api/debug/db')).status, 404, 'No secret was made for a door.');
    const command = stage.run(env, { args: ['user', 'link', 'admin@localhost', '--json'] });
    assert.equal((await command.ended()).code, 0);
    const { pathname } = new URL(JSON.parse(command.output.stdout).link.address);
    assert.equal((await serving.fetch(pathname)).status, 200, 'The way in that it named works.');
  });

  test('of two processes at once on one PostgreSQL creates one team', async (context) => {
    const stage = openServeStage(context);
    const server = process.env['PATCHBAY_TEST_POSTGRESQL'] ?? '';
    const name = `first_start_${randomBytes(6).toString('hex')}`;
    await createDatabaseAt(server, name);
    const env = { PATCHBAY_KEYS: PRODUCTION.PATCHBAY_KEYS, DATABASE_URL: databaseUrl(server, name) };
    const both = await Promise.all([1, 2].map(() => stage.serve({ ...env, PATCHBAY_DATA: stage.newDirectory() })));
    await Promise.all(both.map((serving) => serving.ready(30_000)));
    const client = new pg.Client({ connectionString: env.DATABASE_URL });
    await client.connect();
    const { rows } = await client.query(
      'select (select count(*) from teams) as teams, (select count(*) from users) as users, (select count(*) from team_keys) as keys',
    );
    await client.end();
    assert.deepEqual(rows, [{ teams: '1', users: '1', keys: '1' }]);
    assert.equal(both.filter(({ output }) => readSignInLink(output.stdout) !== '').length, 1, 'One welcome.');
    const token = both.map(({ output }) => readToken(output.stdout)).join('');
    for (const serving of both) {
      const answer = await serving.fetch('/api/team', { headers: { authorization: `Bearer ${token}` } });
      assert.equal(answer.status, 200);
    }
  });

  test('may come after a command, which says in one line what is missing', async (context) => {
    const stage = openServeStage(context);
    const env = { PATCHBAY_DATA: stage.newDirectory() };
    for (const args of [
      ['team', 'list'],
      ['user', 'link', 'admin@localhost'],
    ]) {
      const command = stage.run(env, { args });
      assert.equal((await command.ended()).code, 1);
      assert.equal(command.errorLines().length, 1, command.output.stderr);
    }
  });
});

describe('a later start', { concurrency: 2 }, () => {
  const begin = async (stage: ReturnType<typeof openServeStage>) => {
    const env = { ...PRODUCTION, PATCHBAY_DATA: stage.newDirectory() };
    const serving = await stage.serve(env);
    await serving.ready();
    await stop(serving);
    return env;
  };

  test('is refused in one line if the database is newer than the program, and nothing changes', async (context) => {
    const stage = openServeStage(context);
    const env = await begin(stage);
    const database = new DatabaseSync(join(env.PATCHBAY_DATA, 'patchbay.db'));
    database.exec("insert into schema_migrations (id, digest, applied_at) values ('9999-teams-future', 'x', 1)");
    const read = () => database.prepare('select id from schema_migrations order by id').all();
    const before = read();
    const refused = await stage.serve(env);
    assert.equal((await refused.ended()).code, 1);
    assert.equal(refused.errorLines().length, 1, refused.output.stderr);
    assert.match(refused.output.stderr, /newer than this version of Patchbay.*9999-teams-future/);
    assert.deepEqual(read(), before);
    database.close();
  });

  test("is refused in one line where the key ring does not open the team's keys, and goes on once it does", async (context) => {
    const stage = openServeStage(context);
    const env = await begin(stage);
    const rings = { 'another key of that name': `k1:${OTHER_KEY}`, 'that key is gone': `k2:${OTHER_KEY}` };
    for (const [what, ring] of Object.entries(rings)) {
      const refused = await stage.serve({ ...env, PATCHBAY_KEYS: ring });
      assert.equal((await refused.ended()).code, 1, what);
      assert.equal(refused.errorLines().length, 1, refused.output.stderr);
      assert.match(refused.output.stderr, /^PATCHBAY_KEYS .*"k1"/);
      assert.ok(!refused.output.stderr.includes(OTHER_KEY));
    }
    const serving = await stage.serve({ ...env, PATCHBAY_KEYS: `k2:${OTHER_KEY},${env.PATCHBAY_KEYS}` });
    await serving.ready();
  });
});
