import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import pg from 'pg';
import { type Engine, Secret } from '../../src/platform/index.ts';
import { createTestApp } from '../harness/app.ts';
import { type Canaries, dumpPostgresql, findCanaries, makeCanary, readFiles } from '../harness/canaries.ts';
import { createDatabaseAt, databaseUrl, onOneEngine } from '../harness/databases.ts';
import { fillPath, type Operation, toOperations } from '../harness/operations.ts';
import { exchangeBytes } from '../harness/raw-http.ts';
import type { Serving } from '../harness/serve-process.ts';
import { openServeStage } from '../harness/serve-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

/** Written on purpose, which proves that the search works. */
const CONTROL = 'said-on-purpose';

const makeDatabase = async (engine: Engine, password: string): Promise<string> => {
  if (engine === 'sqlite') return '';
  const server = process.env['PATCHBAY_TEST_POSTGRESQL'] ?? '';
  const name = `canary_${randomBytes(6).toString('hex')}`;
  await createDatabaseAt(server, name);
  // The test server lets everybody in, with any password.
  return Object.assign(new URL(databaseUrl(server, name)), { password }).href;
};

const cutConnections = async (url: string): Promise<void> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  );
  await client.end();
};

/** Keeps every response, headers and body, without what it shows on purpose. */
const createListener = (serving: Serving) => {
  const heard: Record<string, string> = {};
  let count = 0;
  const keep = (text: string, shown: readonly string[] = []) => {
    heard[`answer ${count++}`] = shown.reduce((rest, secret) => rest.replaceAll(secret, ''), text);
  };
  const ask = async (path: string, init: RequestInit = {}, shownBy: (text: string) => string[] = () => []) => {
    // Each from a different address, so that the limit on failures doesn't respond in place of the endpoint.
    const headers = { ...init.headers, 'x-forwarded-for': `10.0.${count >> 8}.${count & 255}` };
    const answer = await serving.fetch(path, { redirect: 'manual', ...init, headers });
    assert.notEqual(answer.status, 429);
    assert.ok(answer.status < 500, `${path}: ${answer.status}`);
    const body = await answer.text();
    const head = [...answer.headers].map((line) => line.join(': ')).join('\n');
    keep(`${head}\n${body}`, shownBy(`${head}\n${body}`));
    return { status: answer.status, head, body };
  };
  return { heard, keep, ask };
};

const json = (body: unknown, headers: Record<string, string>): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
});

const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });
const lastPart = (credential: string): string => credential.slice(-43);

onOneEngine('a secret', (engine) => {
  test('appears in no log line, response or row, whatever is done with it', async (context) => {
    const stage = openServeStage(context);
    const password = makeCanary();
    const url = await makeDatabase(engine, password);
    const key = randomBytes(32).toString('base64');
    const canaries: Canaries = {
      key,
      PATCHBAY_ADMIN_TOKEN: makeCanary(),
      CRON_SECRET: makeCanary(),
      'second CRON_SECRET': makeCanary(),
      DEBUG_TOKEN: makeCanary(),
      METRICS_TOKEN: makeCanary(),
      ...(engine === 'postgresql' ? { 'password of the database': password } : {}),
    };
    const setting = (name: string): string => canaries[name] ?? '';
    const data = join(stage.newDirectory(), CONTROL);
    mkdirSync(data);
    const env = {
      NODE_ENV: 'production',
      HOST: '127.0.0.1',
      LOG_LEVEL: 'debug',
      DEBUG: '*',
      PATCHBAY_DATA: data,
      PATCHBAY_TRUSTED_PROXIES: '127.0.0.1',
      DATABASE_URL: url,
      PATCHBAY_KEYS: `k1:${key}`,
      PATCHBAY_ADMIN_TOKEN: setting('PATCHBAY_ADMIN_TOKEN'),
      CRON_SECRET: `${setting('CRON_SECRET')},${setting('second CRON_SECRET')}`,
      DEBUG_TOKEN: setting('DEBUG_TOKEN'),
      METRICS_TOKEN: setting('METRICS_TOKEN'),
    };
    const serving = await stage.serve(env);
    await serving.ready(30_000);
    const { heard, keep, ask } = createListener(serving);
    const admin = bearer(setting('PATCHBAY_ADMIN_TOKEN'));

    // Credentials of every kind are made, used and ended.
    const made = await ask('/api/tokens', json({ name: CONTROL }, admin), (text) => text.match(/pb_\w+[\w-]*/g) ?? []);
    const { id, token } = JSON.parse(made.body);
    canaries['an access token'] = lastPart(token);
    const invited = await ask(
      '/api/members',
      json({ email: 'new@canary.example' }, bearer(token)),
      (text) => text.match(/sign-in\/[\w-]+/g) ?? [],
    );
    const link = new URL(JSON.parse(invited.body).signInLink).pathname;
    canaries['a sign-in link'] = lastPart(link);
    await ask(link, {}, () => [link]);
    const signedIn = await ask(link, { method: 'POST' }, (text) => text.match(/_session=[\w-]+/g) ?? []);
    const cookie = /(?:__Host-)?patchbay_session=[\w-]+/.exec(signedIn.head)?.[0] ?? '';
    canaries['a session'] = lastPart(cookie);
    assert.equal((await ask('/', { headers: { cookie } })).status, 200);
    assert.equal((await ask(link, { method: 'POST' })).status, 410);

    // Every operation with every secret: where it belongs, where it doesn't, and where none is accepted.
    const operations: Operation[] = toOperations(JSON.parse((await ask('/openapi.json')).body)).operations;
    const all = [...Object.values(canaries), token];
    for (const [index, { method, path, pathParameters }] of operations.entries()) {
      const parameters = Object.fromEntries(pathParameters.map((name) => [name, CONTROL]));
      const address = fillPath(path, parameters);
      for (const secret of all) await ask(address, { method, headers: bearer(secret) });
      // None is accepted here, so each operation gets another one of them.
      const secret = all[index % all.length] ?? '';
      const query = `?token=${encodeURIComponent(secret)}`;
      await ask(`${address}${query}`, { method, headers: { cookie: `patchbay_session=${secret}` } });
      await ask(address, { method, headers: { authorization: `Basic ${Buffer.from(secret).toString('base64')}` } });
    }

    // Error paths, each with a secret in it.
    for (const secret of all) {
      await ask(`/nowhere/${encodeURIComponent(secret)}`);
      await ask(`/sign-in/${encodeURIComponent(secret)}`);
      await ask(`/api/members/${encodeURIComponent(secret)}`, { method: 'DELETE', headers: admin });
      await ask(`/api/audit?cursor=${encodeURIComponent(secret)}`, { headers: admin });
      await ask('/api/tokens', json({ name: { nested: secret }, expiresInDays: secret }, admin));
      await ask('/api/tokens', { ...json({}, admin), body: `{"name":"${secret}` });
      await ask('/api/members', json({ email: secret }, admin));
      await ask('/api/team', { ...json({ timeZone: secret.slice(0, 99) }, admin), method: 'PATCH' });
      const [answer] = await exchangeBytes(
        serving.port,
        `GET /healthz HTTP/1.1\r\nAuthorization: ${secret}\r\nNo colon\r\n\r\n`,
      );
      keep(JSON.stringify(answer));
    }
    if (url !== '') {
      await cutConnections(url);
      await waitUntil('the log says that connections were lost', () => serving.output.stdout.includes('was lost'));
      await waitUntil('it is back', async () => (await serving.fetch('/api/team', { headers: admin })).status === 200);
    }
    await ask(`/api/tokens/${id}`, { method: 'DELETE', headers: admin });

    const commands = [['doctor'], ['token', 'list'], ['user', 'list', '--json']].map((args) =>
      stage.run(env, { args }),
    );
    for (const command of commands) {
      await command.ended();
      keep(`${command.output.stdout}${command.output.stderr}`);
    }

    // The files while they are in use, with the write-ahead log, and again when everything is closed.
    const before = readFiles(data);
    serving.kill('SIGTERM');
    await serving.ended();
    const rows = url === '' ? {} : await dumpPostgresql(url);
    const places = {
      ...heard,
      ...before,
      ...readFiles(data),
      ...rows,
      log: serving.output.stdout,
      errors: serving.output.stderr,
    };

    assert.deepEqual(findCanaries(canaries, places), []);
    const controls = findCanaries({ control: CONTROL }, places);
    assert.ok(controls.includes('control in log'), 'The search finds what is in the log.');
    assert.ok(
      controls.some((one) => one.startsWith('control in answer')),
      'It finds what is in an answer.',
    );
    const kept = engine === 'sqlite' ? /patchbay\.db(-wal)?$/ : /audit_events$/;
    assert.ok(
      controls.some((one) => kept.test(one)),
      'It finds what is in the database.',
    );
  });

  test('once sealed, is not readable in the database and can be opened again', async (context) => {
    const stage = await createTestApp(engine);
    context.after(() => stage.close());
    const { app } = stage;
    const secret = makeCanary();
    const { team } = await stage.createTeam('sealing');
    const place = { record: team.id, field: 'name' };
    const sealed = await app.vault.seal(team.id, place, new Secret(secret));
    await app.database.run('update teams set name = $1 where id = $2', [sealed, team.id]);
    const url = app.config.databaseUrl?.reveal();
    const rows = url ? await dumpPostgresql(url) : readFiles(app.config.data);
    assert.deepEqual(findCanaries({ secret }, rows), []);
    assert.notDeepEqual(findCanaries({ sealed }, rows), [], 'The sealed text is there.');
    assert.equal((await app.vault.open(team.id, place, sealed)).reveal(), secret);
  });
});
