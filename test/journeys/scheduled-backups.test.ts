import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import S3rver from 's3rver';
import { scheduleBackups } from '../../src/archive/index.ts';
import type { JobContext } from '../../src/jobs/index.ts';
import { createTestApp, createTestClock, SECRETS } from '../harness/app.ts';
import { onOneEngine } from '../harness/databases.ts';
import { runCommand, settingsOf } from '../harness/run-command.ts';
import { openServeStage } from '../harness/serve-stage.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

type Handler = (payload: object, context: JobContext) => Promise<void>;

const HOUR_MS = 3_600_000;
const DEBUG = { authorization: `Bearer ${SECRETS.DEBUG_TOKEN}` };

onOneEngine('a scheduled backup', (engine) => {
  const clock = createTestClock();
  const stage = useStage(() => createTestApp(engine, { clock }));
  const directoryOf = (name: string): string => join(stage.config.data, name);

  const backUpTo = (place: string, env: Record<string, string> = {}) =>
    runCommand(['backup', 'now', '--json'], {
      ...settingsOf(stage),
      PATCHBAY_BACKUP_TO: place,
      PATCHBAY_BACKUP_KEEP: '2',
      ...env,
    });
  const expectMade = async (place: string, env?: Record<string, string>) => {
    const ran = await backUpTo(place, env);
    assert.equal(ran.code, 0, ran.stderr);
    return JSON.parse(ran.stdout) as { name: string; removed: string[]; bytes: number; recordings: object | null };
  };

  test('is kept in a directory with those before it, and nothing else there is ever deleted', async () => {
    const directory = directoryOf('kept');
    mkdirSync(directory);
    const others = ['patchbay-20200101T000000Z-aaaaaa.zst', 'notes.txt'];
    for (const name of others) writeFileSync(join(directory, name), 'not ours');
    const first = await expectMade(directory);
    const second = await expectMade(directory, { PATCHBAY_BACKUP_RECORDINGS: 'on' });
    assert.deepEqual(first.removed, []);
    assert.deepEqual([first.recordings, second.recordings], [null, { archived: 0, missing: 0 }]);
    const beside = await expectMade(directoryOf('beside'));
    assert.deepEqual(beside.removed, []);
    const third = await expectMade(directory);
    assert.deepEqual(third.removed, [first.name], 'One in another place is not counted.');
    assert.deepEqual(readdirSync(directory).sort(), [...others, second.name, third.name].sort());
    const checked = await runCommand(['backup', 'check', join(directory, third.name), '--json'], settingsOf(stage));
    assert.equal(checked.code, 0, checked.stderr);

    const { backup } = (await stage.server.inject({ url: '/api/debug/db', headers: DEBUG })).json();
    assert.equal(backup.bytes, third.bytes);
    assert.ok(Math.abs(Date.parse(backup.lastAt) - Date.now()) < HOUR_MS);

    // Both were made while the clock was a year ahead.
    const ahead = [Date.now() + 8_766 * HOUR_MS];
    await stage.app.database.run("update backups set begun_at = $1, ended_at = $1 where state = 'done'", ahead);
    const fourth = await expectMade(directory);
    assert.equal(fourth.removed.length, 1);
    assert.ok(readdirSync(directory).includes(fourth.name), 'The one that was just made is kept.');
  });

  test('is listed until it is deleted, with whether it is there', async () => {
    const directory = directoryOf('listed');
    const list = async (to: string) => {
      const env = { ...settingsOf(stage), PATCHBAY_BACKUP_TO: to };
      const { code, stdout, stderr } = await runCommand(['backup', 'list', '--json'], env);
      assert.equal(code, 0, stderr);
      const all: { name: string; place: string; bytes: number; isThere: boolean }[] = JSON.parse(stdout).backups;
      return all.filter(({ place }) => place === `directory ${directory}`);
    };
    const made = [await expectMade(directory), await expectMade(directory), await expectMade(directory)];
    const [, second, third] = made;
    assert.ok(second && third);
    rmSync(join(directory, second.name));
    const seen = (await list(directory)).map(({ name, bytes, isThere }) => [name, bytes, isThere]);
    assert.deepEqual(seen, [
      [third.name, third.bytes, true],
      [second.name, second.bytes, false],
    ]);
    assert.deepEqual(
      (await list(directoryOf('elsewhere'))).map(({ isThere }) => isThere),
      [null, null],
    );
  });

  /** As if its process had ended before it could say so, more than a day ago. */
  const leaveRunning = (name: string) =>
    stage.app.database.run(
      "update backups set state = 'running', bytes = null, ended_at = null, begun_at = $2 where name = $1",
      [name, Date.now() - 25 * HOUR_MS],
    );

  test('whose process ended before it could say so counts a day later if it is whole, and else it is deleted', async () => {
    const directory = directoryOf('ended');
    const [whole, begun] = [await expectMade(directory), await expectMade(directory)];
    renameSync(join(directory, begun.name), join(directory, `${begun.name}.part`));
    for (const { name } of [whole, begun]) await leaveRunning(name);
    const next = await expectMade(directory);
    assert.deepEqual(readdirSync(directory).sort(), [whole.name, next.name].sort());
    const last = await expectMade(directory);
    assert.deepEqual(last.removed, [whole.name]);
  });

  test('that another process is still making is left alone', async () => {
    const directory = directoryOf('under-way');
    const { name } = await expectMade(directory);
    renameSync(join(directory, name), join(directory, `${name}.part`));
    const { database } = stage.app;
    const begin = "update backups set state = 'running', bytes = null, ended_at = null where name = $1";
    await database.run(begin, [name]);
    const next = await expectMade(directory);
    assert.deepEqual(readdirSync(directory).sort(), [`${name}.part`, next.name].sort());
    const row = await database.get<{ state: string }>('select state from backups where name = $1', [name]);
    assert.equal(row?.state, 'running');
  });

  test('deletes nothing in a copy that is paused, which has the list of the original', async () => {
    const directory = directoryOf('original');
    const [first, second] = [await expectMade(directory), await expectMade(directory)];
    await leaveRunning(second.name);
    const keep = { PATCHBAY_BACKUP_KEEP: '1' };
    try {
      assert.equal((await runCommand(['pause'], settingsOf(stage))).code, 0);
      const third = await expectMade(directory, keep);
      assert.deepEqual(third.removed, []);
      assert.deepEqual(readdirSync(directory).sort(), [first.name, second.name, third.name].sort());
    } finally {
      await runCommand(['resume'], settingsOf(stage));
    }
    assert.equal((await expectMade(directory, keep)).removed.length, 3);
  });

  test('that fails deletes nothing, and says why', async () => {
    const directory = directoryOf('kept');
    const before = readdirSync(directory);
    const ran = await backUpTo(join(directory, 'notes.txt', 'inside-a-file'));
    assert.equal(ran.code, 1);
    assert.match(JSON.parse(ran.stdout).error, /ENOTDIR.*Check PATCHBAY_BACKUP_TO/);
    const failed = await stage.app.database.get<{ problem: string }>(
      "select problem from backups where state = 'failed' order by begun_at desc",
    );
    assert.match(failed?.problem ?? '', /ENOTDIR/);
    assert.deepEqual(readdirSync(directory), before);
  });

  test('is made in a bucket, where older ones are deleted', async (context) => {
    const directory = directoryOf('bucket');
    mkdirSync(directory);
    const server = new S3rver({
      port: 0,
      address: '127.0.0.1',
      silent: true,
      directory,
      configureBuckets: [{ name: 'copies', configs: [] }],
    });
    const { port } = await server.run();
    context.after(() => server.close());
    const env = {
      ...{ S3_ENDPOINT: `http://127.0.0.1:${port}`, S3_BUCKET: 'copies' },
      ...{ S3_ACCESS_KEY_ID: 'S3RVER', S3_SECRET_ACCESS_KEY: 'S3RVER', PATCHBAY_BACKUP_KEEP: '1' },
    };
    const list = () =>
      readdirSync(join(directory, 'copies', 'backups')).flatMap(
        (name) => /^(.*\.zst)\._S3rver_object$/.exec(name)?.[1] ?? [],
      );
    const first = await expectMade('bucket', env);
    assert.deepEqual(list(), [first.name]);
    const second = await expectMade('bucket', env);
    assert.deepEqual(second.removed, [first.name]);
    assert.deepEqual(list(), [second.name]);
    await leaveRunning(second.name);
    const third = await expectMade('bucket', env);
    assert.deepEqual(third.removed, [second.name]);
    assert.deepEqual(list(), [third.name]);
    assert.deepEqual(readdirSync(directoryOf('backups')), [], 'Nothing is left in the data directory.');
    const away = await backUpTo('bucket', { ...env, S3_ENDPOINT: 'http://127.0.0.1:1' });
    assert.match(JSON.parse(away.stdout).error, /^The request to 127\.0\.0\.1 failed/);
    assert.deepEqual(readdirSync(directoryOf('backups')), []);
  });

  test('never deletes a file outside of its place, whatever the list says', async () => {
    const directory = directoryOf('place');
    const outside = directoryOf('outside.zst');
    for (const name of [outside, `${outside}.part`]) writeFileSync(name, 'not ours');
    const { name } = await expectMade(directory);
    const listed = (state: string, begunAt: number) =>
      stage.app.database.run(
        `insert into backups (id, place, name, state, begun_at)
          select $1, place, '../outside.zst', $2, $3 from backups where name = $4`,
        [stage.app.newId(), state, begunAt, name],
      );
    await listed('done', 1);
    await listed('running', 1);
    const { removed } = await expectMade(directory, { PATCHBAY_BACKUP_KEEP: '1' });
    assert.deepEqual(removed, [name]);
    for (const path of [outside, `${outside}.part`]) assert.equal(readFileSync(path, 'utf8'), 'not ours');
    await stage.app.database.run('delete from backups where begun_at = 1');
  });

  test('that fails leaves nothing in the bucket, even if only the response was lost', async (context) => {
    const asked: string[] = [];
    const bucket = createServer((request, response) => {
      asked.push(request.method ?? '');
      request.resume().on('end', () => {
        if (request.method === 'PUT') request.socket.destroy();
        else response.writeHead(204).end();
      });
    });
    await new Promise<void>((resolve) => bucket.listen(0, '127.0.0.1', resolve));
    context.after(() => bucket.close());
    const { port } = bucket.address() as AddressInfo;
    const ran = await backUpTo('bucket', {
      ...{ S3_ENDPOINT: `http://127.0.0.1:${port}`, S3_BUCKET: 'copies' },
      ...{ S3_ACCESS_KEY_ID: 'S3RVER', S3_SECRET_ACCESS_KEY: 'S3RVER' },
    });
    assert.match(JSON.parse(ran.stdout).error, /^The request to 127\.0\.0\.1 failed/);
    assert.equal(asked.at(-1), 'DELETE');
  });

  test('that fails for good, or is overdue, alerts the operator until one is completed', async () => {
    const { app } = stage;
    const handlers = new Map<string, Handler>();
    const problem = 'There is no space left.';
    const jobs = {
      ...app.jobs,
      handle: ({ name }: { name: string }, run: unknown) => void handlers.set(name, run as Handler),
      every: () => undefined,
    };
    const { getState } = scheduleBackups(
      { ...app, jobs, alerts: app.events.alerts.backup, run: async () => problem },
      { directory: null, everyMs: 24 * HOUR_MS, keep: 1 },
    );
    const attempt = async (name: string, count: number): Promise<void> => {
      const signal = new AbortController().signal;
      await handlers.get(name)?.({}, { attempt: count, jobId: '', signal });
    };
    const teamId = await app.events.getFirstTeamId();
    const titles = async () =>
      (await app.notices.alerts.list({ teamId, role: 'admin' })).alerts.map(
        ({ title, detail }) => `${title}: ${detail}`,
      );

    await assert.rejects(attempt('make-backup', 1), /no space left/);
    assert.deepEqual(await titles(), [], 'It is tried again first.');
    await assert.rejects(attempt('make-backup', 3), /no space left/);
    assert.deepEqual(await titles(), ['A scheduled backup failed: There is no space left.']);
    await expectMade(directoryOf('kept'));
    assert.deepEqual(await titles(), [], 'Whoever makes it.');

    await attempt('check-backups', 1);
    assert.equal((await getState()).isOverdue, false);
    assert.deepEqual(await titles(), []);
    await app.database.run('update backups set begun_at = $1, ended_at = $1', [clock.now() - 38 * HOUR_MS]);
    assert.equal((await getState()).isOverdue, true);
    await attempt('check-backups', 1);
    await attempt('check-backups', 1);
    assert.equal((await titles()).length, 1);
    assert.match((await titles())[0] ?? '', /^A scheduled backup is overdue: The last one was completed at 2026/);
  });
});

describe('the service', () => {
  test('makes a backup by itself in another process, and the doctor reports it', async (context) => {
    const stage = openServeStage(context);
    const data = stage.newDirectory();
    const directory = join(data, 'copies');
    const env = { ...SECRETS, PATCHBAY_DATA: data, PATCHBAY_BACKUP_TO: directory };
    const serving = await stage.serve(env);
    await serving.ready();
    const list = () => {
      try {
        return readdirSync(directory).filter((name) => name.endsWith('.zst'));
      } catch {
        return [];
      }
    };
    // The process that makes it only gets what others leave of the processor.
    await waitUntil('there is one', () => list().length === 1, 240_000);
    await waitUntil('the doctor knows', async () => {
      const { findings } = JSON.parse((await runCommand(['doctor', '--json'], env)).stdout);
      const found = findings.find(({ check }: { check: string }) => check === 'backups');
      return (
        found.state === 'ok' &&
        /The newest was completed at 20.*, less than an hour ago, and has [\d.]+ kB\.$/.test(found.message)
      );
    });
    const ask = async () => {
      const asked = JSON.parse((await runCommand(['doctor', '--json'], env)).stdout);
      return asked.findings.find(({ check }: { check: string }) => check === 'backups');
    };
    const path = join(directory, list()[0] ?? '');
    const content = readFileSync(path);
    truncateSync(path);
    const cut = await ask();
    assert.deepEqual([cut.state, /has 0 bytes now/.test(cut.message)], ['trouble', true], cut.message);
    rmSync(path);
    const gone = await ask();
    assert.deepEqual([gone.state, /is no longer there/.test(gone.message)], ['trouble', true], gone.message);
    writeFileSync(path, content);
    const elsewhere = { ...env, PATCHBAY_BACKUP_TO: join(directory, list()[0] ?? '', 'inside-a-file') };
    const { findings } = JSON.parse((await runCommand(['doctor', '--json'], elsewhere)).stdout);
    const found = findings.find(({ check }: { check: string }) => check === 'backups');
    assert.equal(found.state, 'trouble');
    assert.match(found.message, /inside-a-file is not writable\. Check PATCHBAY_BACKUP_TO\./);
  });
});
