import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import S3rver from 's3rver';
import { buildApp } from '../../src/app.ts';
import { toLine } from '../../src/archive/archive.ts';
import { readConfig } from '../../src/config/config.ts';
import { audioPlace } from '../../src/telephony/contract/recording-storage.ts';
import { createTestLog } from '../harness/app.ts';
import { readAllLines, readLines, withRows, writeAllLines, writeLines } from '../harness/archive-lines.ts';
import { archiveRecording } from '../harness/archive-recording.ts';
import { onOneEngine } from '../harness/databases.ts';
import { createEmptyPlace } from '../harness/places.ts';
import { runCommand, settingsOf } from '../harness/run-command.ts';
import { newCallSid, newRecordingSid, openTelephonyStage } from '../harness/telephony-stage.ts';
import { makeTestDirectory } from '../harness/test-directory.ts';
import { useStage } from '../harness/use-stage.ts';

/** Of a piece in the file. */
const PIECE_BYTES = 192 * 1024;

onOneEngine('a backup with recordings', (engine) => {
  const stage = useStage(() => openTelephonyStage(engine));

  const run = async (args: readonly string[], env: Record<string, string>) => {
    const ran = await runCommand([...args, '--json'], env);
    assert.equal(ran.code, 0, ran.stderr);
    return JSON.parse(ran.stdout);
  };

  /** A recording of a new call, with this audio. */
  const record = async (
    { team, line, calls }: Awaited<ReturnType<typeof stage.newTeam>>,
    audio: Buffer,
    sealed = false,
  ) => {
    const { app } = stage;
    const [callSid, recordingSid] = [newCallSid(), newRecordingSid()];
    await line.rings(callSid);
    await line.recorded(callSid, recordingSid);
    await calls();
    const { id = '' } =
      (await app.database.get<{ id: string }>('select id from recordings where external_id = $1', [recordingSid])) ??
      {};
    const recording = { teamId: team.id, id };
    if (!sealed) await archiveRecording(app, recording, audio);
    else {
      const seal = await app.vault.sealStream(team.id, audioPlace(id));
      await archiveRecording(app, recording, await buffer(Readable.from([audio]).pipe(seal)));
      await app.database.run('update recordings set sealed = 1, bytes = $2 where id = $1', [id, audio.length]);
    }
    return { id, audio };
  };

  if (engine === 'sqlite')
    test('looks for every one of them, however many there are', async (context) => {
      const { database } = stage.app;
      const directory = makeTestDirectory('patchbay-backup-');
      context.after(directory.remove);
      const team = await stage.newTeam();
      context.after(() => database.run('delete from recordings where team_id = $1', [team.team.id]));
      const { id } = await record(team, randomBytes(10));
      const row = await database.get<Record<string, string>>('select * from recordings where id = $1', [id]);
      const columns = Object.keys(row ?? {});
      const uuid = "printf('00000000-0000-7000-8000-%012d', i)";
      const values = columns.map((name) => (['id', 'external_id'].includes(name) ? uuid : name));
      // They come first, and their audio is nowhere.
      await database.run(
        `insert into recordings (${columns.join(', ')})
          with recursive n (i) as (select 1 union all select i + 1 from n where i < 500)
          select ${values.join(', ')} from recordings, n where id = $1`,
        [id],
      );
      const made = await run(['backup', join(directory.path, 'copy.zst'), '--recordings'], settingsOf(stage));
      assert.deepEqual(made.recordings, { archived: 1, missing: 500 });
    });

  test('is restored with them, as files or into a bucket, and they can be listened to', async (context) => {
    const { app } = stage;
    const directory = makeTestDirectory('patchbay-backup-');
    context.after(directory.remove);
    const team = await stage.newTeam();
    const kept = [
      await record(team, randomBytes(100)),
      await record(team, randomBytes(2 * PIECE_BYTES)),
      await record(team, randomBytes(3 * PIECE_BYTES + 1), true),
    ];
    const lost = await record(team, randomBytes(10));
    rmSync(join(stage.config.data, 'recordings', team.team.id, lost.id));

    const file = join(directory.path, 'copy.zst');
    const made = await run(['backup', file, '--recordings'], settingsOf(stage));
    assert.deepEqual(made.recordings, { archived: 3, missing: 1 });
    const without = join(directory.path, 'without.zst');
    assert.equal((await run(['backup', without], settingsOf(stage))).recordings, null);
    const check = (path: string) => run(['backup', 'check', path], { PATCHBAY_DATA: directory.path });
    assert.equal((await check(file)).recordings, 3);
    assert.equal((await check(without)).recordings, null);

    const bare = await createEmptyPlace(engine);
    const told = await runCommand(['restore', without], bare.env);
    assert.match(
      told.stdout,
      /The audio of 4 recordings isn't in this backup\. Copy the original's folder "recordings"/,
    );
    const { findings } = JSON.parse((await runCommand(['doctor', '--json'], bare.env)).stdout);
    const found = findings.find(({ check }: { check: string }) => check === 'recordings');
    assert.equal(found.state, 'trouble');
    assert.match(found.message, /The newest recording isn't there/);
    await bare.remove();

    // Recordings are authenticated as everything else is, before any of them is written.
    const forged = join(directory.path, 'forged.zst');
    const swapAudio = (row: string): string => toLine(JSON.parse(row).with(3, randomBytes(100).toString('base64')));
    const changed = withRows(readLines(file), 'recording_audio', (rows) => rows.map(swapAudio));
    writeAllLines(forged, [...changed, readAllLines(file).at(-1) ?? '']);
    const empty = await createEmptyPlace(engine);
    const refused = await runCommand(['restore', forged], empty.env);
    assert.match(refused.stderr, /authentication code is wrong/);
    assert.deepEqual(readdirSync(empty.settings.dataDirectory), []);
    await empty.remove();

    // As if it had been recorded after the rows were read.
    const [late] = kept.splice(1, 1);
    const isKept = (row: string): boolean => !row.includes(late?.id ?? '');
    writeLines(
      file,
      withRows(readLines(file), 'recordings', (rows) => rows.filter(isKept)),
    );
    assert.equal((await check(file)).recordings, 3);

    const store = join(directory.path, 'store');
    const server = new S3rver({
      ...{ port: 0, address: '127.0.0.1', silent: true, directory: store },
      configureBuckets: [{ name: 'calls', configs: [] }],
    });
    const { port } = await server.run();
    context.after(() => server.close());
    const bucket = {
      ...{ S3_ENDPOINT: `http://127.0.0.1:${port}`, S3_BUCKET: 'calls' },
      ...{ S3_ACCESS_KEY_ID: 'S3RVER', S3_SECRET_ACCESS_KEY: 'S3RVER' },
    };
    for (const more of [{}, bucket]) {
      const place = await createEmptyPlace(engine);
      const env = { ...place.env, ...more };
      assert.equal((await run(['restore', file], env)).recordings, 2);
      const folder = join(place.settings.dataDirectory, 'recordings');
      assert.deepEqual(readdirSync(join(folder, 'incoming')), []);
      if (more !== bucket) assert.equal(readdirSync(join(folder, team.team.id)).length, 2);
      const restored = buildApp(readConfig({ ...env, LOG_LEVEL: 'silent' }), {
        log: createTestLog().log,
        threads: false,
      });
      const serving = await restored.createServer();
      const { headers } = team.member;
      for (const { id, audio } of kept) {
        const heard = await serving.inject({ url: `/api/recordings/${id}/audio`, headers });
        assert.equal(heard.statusCode, 200, heard.body);
        assert.deepEqual(heard.rawPayload, audio);
      }
      assert.notEqual((await serving.inject({ url: `/api/recordings/${lost.id}/audio`, headers })).statusCode, 200);
      await serving.close();
      await restored.close();
      await place.remove();
    }
    assert.equal((await app.database.all("select id from recordings where state = 'archived'")).length, 4);

    const refusedBy = async (args: readonly string[], env: Record<string, string>, more: object): Promise<string> => {
      const ran = await runCommand([...args, '--json'], { ...env, ...bucket, ...more });
      assert.equal(ran.code, 1, ran.stdout);
      return JSON.parse(ran.stdout).error;
    };
    const again = ['backup', join(directory.path, 'again.zst'), '--recordings'];
    const place = await createEmptyPlace(engine);
    for (const [args, env] of [
      [again, settingsOf(stage)],
      [['restore', file], place.env],
    ] as const) {
      const away = await refusedBy(args, env, { S3_ENDPOINT: 'http://127.0.0.1:1' });
      assert.match(away, /^The request to 127\.0\.0\.1 failed.* try again\.$/);
      const closed = await refusedBy(args, env, { S3_ACCESS_KEY_ID: 'OTHER' });
      // It doesn't read what it refuses, so the connection may end before its response is read.
      const isCutOff = args !== again && /\((?:EPIPE|ECONNRESET)\)\. Check its settings.* try again\.$/.test(closed);
      if (!isCutOff)
        assert.match(closed, /^The bucket didn't \w+ the recording \(403\)\. Check its settings.* try again\.$/);
    }
    await place.remove();
  });
});
