import assert from 'node:assert/strict';
import { cpSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { type App, buildApp } from '../../src/app.ts';
import type { Server } from '../../src/http/index.ts';
import { defineJob } from '../../src/jobs/index.ts';
import { lockDirectory, openDatabase, Secret, Type } from '../../src/platform/index.ts';
import { createTestLog } from '../harness/app.ts';
import { archiveRecording } from '../harness/archive-recording.ts';
import { type ConnectStage, expectConnected, startConnectStage } from '../harness/connect-flow.ts';
import { createEmptyPlace, type EmptyPlace } from '../harness/places.ts';
import { runCommand, runProgram, settingsOf } from '../harness/run-command.ts';
import { startProgram } from '../harness/serve-process.ts';
import { openSession } from '../harness/sessions.ts';
import { createPhoneLine, newAccountSid, newCallSid, newRecordingSid, OUR_NUMBER } from '../harness/telephony-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

const waitForever = defineJob({ name: 'wait-forever', payload: Type.Object({ note: Type.String() }) });
const WEEK_MS = 7 * 86_400_000;

describe('moving from SQLite to PostgreSQL', () => {
  let flow: ConnectStage;
  let sqlite: EmptyPlace;
  let postgresql: EmptyPlace;

  beforeEach(async () => {
    flow = await startConnectStage('sqlite');
    sqlite = await createEmptyPlace('sqlite');
    postgresql = await createEmptyPlace('postgresql');
  });

  afterEach(async () => {
    await flow.close();
    await Promise.all([sqlite.remove(), postgresql.remove()]);
  });

  const run = async (args: string[], env: Record<string, string>) => {
    const { code, stdout, stderr } = await runCommand([...args, '--json'], env);
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout);
  };
  const refuses = async (args: string[], env: Record<string, string>, expected: RegExp, code = 1): Promise<void> => {
    const ran = await runCommand(args, env);
    assert.match(ran.stderr, expected);
    assert.equal(ran.code, code);
  };
  const toPostgresql = () => ['move', '--to', postgresql.env.DATABASE_URL];
  const restoreHere = async () => {
    const file = join(flow.stage.config.data, 'copy.zst');
    rmSync(file, { force: true });
    await run(['backup', file], settingsOf(flow.stage));
    return run(['restore', file], sqlite.env);
  };
  const mark = () => join(sqlite.settings.dataDirectory, 'patchbay.db.moved');

  /** A team with something of everything. */
  const settle = async () => {
    const { stage, clock } = flow;
    const { app, server } = stage;
    const team = await stage.createTeam('acme');
    const post = async (url: string, payload: object) => {
      const answer = await server.inject({ method: 'POST', url, headers: team.admin.headers, payload });
      assert.ok(answer.statusCode < 300, `${url}: ${answer.body}`);
      return answer.json();
    };
    const { authorizationUrl, cookie } = await flow.begin(team.member);
    expectConnected(await flow.arrive(flow.consent(authorizationUrl), { cookie }));
    const accountId = newAccountSid();
    const account = await post('/api/telephony/accounts', {
      provider: 'twilio',
      accountId,
      secrets: ['auth-token-of-the-tests'],
    });
    await post('/api/telephony/numbers', { number: OUR_NUMBER, account: account.id, answer: {} });
    await post('/api/events/endpoints', { url: 'https://receiver.example/hook', types: ['call.ended'] });
    const callSid = newCallSid();
    const line = createPhoneLine(server, { id: account.id, accountId });
    await line.rings(callSid);
    await line.recorded(callSid, newRecordingSid());
    await line.status(callSid, 'completed', { CallDuration: '42' });
    await app.telephony.settle();
    const recording = await app.database.get<{ id: string }>('select id from recordings');
    await archiveRecording(app, { id: recording?.id ?? '', teamId: team.team.id });
    clock.advance(WEEK_MS);
    await app.reports.runReports({ team: team.team.id, askedBy: 'person' });
    const session = await openSession(stage, team.admin.user);
    await app.database.transaction((tx) =>
      app.jobs.enqueue(tx, waitForever, { note: 'wait' }, { delayMs: 10 * WEEK_MS, key: 'one' }),
    );
    await app.events.followLog(null, { limit: 1 });
    return { ...team, session, account: { id: account.id, accountId }, recordingId: recording?.id ?? '' };
  };

  /** What people and programs see. */
  const look = async (server: Server, { admin, session, recordingId }: Awaited<ReturnType<typeof settle>>) => {
    const seen: Record<string, unknown> = {};
    for (const url of ['/api/calls', '/api/reports', '/api/members', '/api/telephony/accounts'])
      seen[url] = (await server.inject({ url, headers: admin.headers })).json();
    // The place after them is another one in a log that was restored.
    seen['events'] = (await server.inject({ url: '/api/events', headers: admin.headers })).json().events;
    const status = await server.inject({ url: '/api/integrations/status', headers: admin.headers });
    seen['status'] = status.json().integrations.find((one: { provider: string }) => one.provider === 'github');
    const audio = await server.inject({ url: `/api/recordings/${recordingId}/audio`, headers: admin.headers });
    seen['audio'] = [audio.statusCode, audio.body];
    const page = await server.inject({ url: '/settings/sessions', headers: session.headers });
    seen['session'] = page.statusCode;
    return seen;
  };

  const openMoved = async (): Promise<{ app: App; server: Server; close(): Promise<void> }> => {
    const { dataDirectory: data } = sqlite.settings;
    const config = { ...flow.stage.config, data, databaseUrl: new Secret(postgresql.env.DATABASE_URL) };
    const { outbound, forwarder } = flow.simulator;
    const { log } = createTestLog();
    const app = buildApp(config, { clock: flow.clock, log, outbound, forwarder, threads: false });
    const server = await app.createServer();
    return {
      app,
      server,
      async close() {
        await server.close();
        await app.close();
      },
    };
  };

  test('by way of a backup and a restore, everything is there and works', async () => {
    const team = await settle();
    const before = await look(flow.stage.server, team);
    assert.deepEqual([before['session'], before['audio']], [200, [200, 'ID3 audio of the tests']]);
    await restoreHere();
    cpSync(join(flow.stage.config.data, 'recordings'), join(sqlite.settings.dataDirectory, 'recordings'), {
      recursive: true,
    });
    const { tables, sealed } = await run(toPostgresql(), sqlite.env);
    assert.deepEqual(sealed.broken, []);
    assert.ok(sealed.opened > 10, `${sealed.opened}`);
    assert.equal(tables.find(({ name }: { name: string }) => name === 'jobs').rows > 0, true);

    const moved = await openMoved();
    try {
      assert.equal((await moved.server.inject('/readyz')).json().paused, true);
      assert.equal((await run(['resume'], { ...sqlite.env, ...postgresql.env })).changed, true);
      await waitUntil('it goes on', async () => !(await moved.server.inject('/readyz')).json().paused);
      assert.deepEqual(await look(moved.server, team), before);
      const url = '/api/integrations/github/token';
      const token = await moved.server.inject({ method: 'POST', url, headers: team.admin.headers });
      assert.equal(token.json().accessToken, flow.simulator.issued('github').accessToken);
      assert.equal((await moved.app.jobs.count()).queued, (await flow.stage.app.jobs.count()).queued);
      const again = await moved.app.database.transaction((tx) =>
        moved.app.jobs.enqueue(tx, waitForever, { note: 'again' }, { key: 'one' }),
      );
      assert.equal(again, 'duplicate');
      const line = createPhoneLine(moved.server, team.account);
      assert.equal((await line.rings(newCallSid())).statusCode, 200);
      await moved.app.telephony.settle();
      const { calls } = (await moved.server.inject({ url: '/api/calls', headers: team.member.headers })).json();
      assert.equal(calls.length, 2);
    } finally {
      await moved.close();
    }
  });

  test('is refused for a running service, a database with something in it, and whatever is no address', async () => {
    await restoreHere();
    await refuses(['move', '--to', 'mysql://nobody'], sqlite.env, /move --to postgresql:/, 2);
    await refuses(['move'], sqlite.env, /move --to postgresql:/, 2);
    await refuses([...toPostgresql(), '--stdin'], sqlite.env, /--to or --stdin, not both/, 2);
    await refuses(toPostgresql(), { ...sqlite.env, ...postgresql.env }, /uses PostgreSQL already/);
    const lock = lockDirectory(sqlite.settings.dataDirectory);
    await refuses(toPostgresql(), sqlite.env, /Process \d+ is using .* Stop it first/);
    lock.release();
    const database = openDatabase(sqlite.settings, () => undefined);
    await database.run("update teams set name = 'a' || char(0) || 'b'");
    await refuses(toPostgresql(), sqlite.env, /teams\.name has a NUL character/);
    await database.run("update teams set name = 'a', created_at = 1.5");
    await refuses(toPostgresql(), sqlite.env, /^[^\n]*: A value of teams\.created_at is not a whole number\.\n$/);
    await database.run('update teams set created_at = 1');
    await database.close();
    await run(['restore', join(flow.stage.config.data, 'copy.zst')], postgresql.env);
    await refuses(toPostgresql(), sqlite.env, /not empty/);
    assert.equal(existsSync(mark()), false);
  });

  test('leaves the file as it was, and it is not used by mistake', async () => {
    await restoreHere();
    const path = join(sqlite.settings.dataDirectory, 'patchbay.db');
    const content = readFileSync(path);
    // Without the address in the list of processes.
    const moved = await runProgram(
      ['move', '--stdin'],
      { ...sqlite.env, CRON_SECRET: '' },
      `${postgresql.env.DATABASE_URL}\n`,
    );
    assert.equal(moved.code, 0, moved.stderr);
    assert.match(
      moved.stdout,
      /1\. Set DATABASE_URL\.\n[\s\S]*If a program uses CRON_SECRET[\s\S]*Recordings stay in PATCHBAY_DATA/,
    );
    assert.ok(readFileSync(path).equals(content));
    const { code, stderr } = await runProgram(['serve'], sqlite.env);
    assert.equal(code, 1);
    assert.match(
      stderr,
      /was moved to PostgreSQL at 127\.0\.0\.1:\d+\/test_\w+ on .*set DATABASE_URL.*delete .*\.moved/,
    );
    assert.doesNotMatch(stderr, /password/);
    await refuses(toPostgresql(), sqlite.env, /was moved to PostgreSQL/);
    renameSync(path, `${path}.away`);
    // What is restored here could not be used either.
    await refuses(['restore', join(flow.stage.config.data, 'copy.zst')], sqlite.env, /delete .*\.moved/);
    renameSync(`${path}.away`, path);
    rmSync(mark());
    assert.deepEqual(await run(['migrate'], sqlite.env), { applied: [] });
  });

  test('refuses what a command that was already running would write to the old file afterward', async () => {
    await restoreHere();
    const beside = openDatabase(sqlite.settings, () => undefined);
    const rename = "update teams set name = 'left behind'";
    try {
      await beside.run("update teams set name = 'taken along'");
      await run(toPostgresql(), sqlite.env);
      await assert.rejects(beside.run(rename), /was moved to PostgreSQL/);
      await assert.rejects(
        beside.transaction((tx) => tx.run(rename)),
        /was moved to PostgreSQL/,
      );
      assert.equal(await beside.get('select id from teams where name = $1', ['left behind']), undefined);
    } finally {
      await beside.close();
    }
  });

  test('starts again after a kill, and finds what it had finished', async () => {
    await flow.stage.app.database.run(
      `insert into used_tickets (digest, expires_at)
       with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 100000)
       select cast(n as text), n from numbers`,
    );
    await restoreHere();
    // As after a start of the service.
    const file = new DatabaseSync(join(sqlite.settings.dataDirectory, 'patchbay.db'), { timeout: 0 });
    file.exec('pragma journal_mode = wal');
    // And as an older version left it.
    file.exec("drop table backups; delete from schema_migrations where id >= '0046'");
    const program = startProgram(sqlite.env, { args: toPostgresql() });
    const database = openDatabase(postgresql.settings, () => undefined);
    const listApplied = () => database.all<{ id: string }>('select id from schema_migrations').catch(() => []);
    await waitUntil('it has begun', async () => (await listApplied()).length > 0, 20_000);
    assert.throws(() => file.exec("update teams set name = 'left behind'"), /locked/);
    file.close();
    await program.end('SIGKILL');
    await refuses(['migrate'], postgresql.env, /This database is incomplete/);
    // The old one can still be used.
    assert.equal(existsSync(mark()), false);
    const { to } = await run(toPostgresql(), sqlite.env);

    // As if it had been killed before it could say that it was done.
    const unsaid = { to, begunAt: new Date().toISOString(), doneAt: null };
    writeFileSync(mark(), JSON.stringify(unsaid));
    await refuses(['migrate'], sqlite.env, /Run "move" again, or delete/);
    await run(toPostgresql(), sqlite.env);
    assert.notEqual(JSON.parse(readFileSync(mark(), 'utf8')).doneAt, null);
    const counted = await database.get<{ n: number }>('select count(*) as n from used_tickets');
    assert.equal(counted?.n, 100_000);
    // And as if something else had been put there.
    writeFileSync(mark(), JSON.stringify(unsaid));
    await database.run("delete from used_tickets where digest = '7'");
    await refuses(toPostgresql(), sqlite.env, /not empty/);
    await database.close();
  });
});
