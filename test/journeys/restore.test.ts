import assert from 'node:assert/strict';
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, before, beforeEach, test } from 'node:test';
import { toLine } from '../../src/archive/archive.ts';
import { type Database, openDatabase, readMigrations } from '../../src/platform/index.ts';
import { readLines, toOlder, withCreatedAt, withTable, writeLines } from '../harness/archive-lines.ts';
import { onEachEngine } from '../harness/databases.ts';
import { createEmptyPlace, type EmptyPlace } from '../harness/places.ts';
import { runCommand, runProgram, settingsOf } from '../harness/run-command.ts';
import { startProgram } from '../harness/serve-process.ts';
import { newCallSid, openTelephonyStage, type PhoneLine } from '../harness/telephony-stage.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

const OTHER_KEY = 'k1:u5L2v0xW8nq3Yb7Rz1Kc6Ht9Jd4Mf0Ps2Gw5Xe8Qa7U=';

onEachEngine('a restored service', (engine) => {
  const stage = useStage(() => openTelephonyStage(engine));
  let place: EmptyPlace;
  let file: string;
  let line: PhoneLine;
  let lines: string[];
  let opened: Database[];

  const backUp = async (path = file): Promise<{ tables: unknown }> => {
    const { code, stdout, stderr } = await runCommand(['backup', path, '--json'], settingsOf(stage));
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout);
  };

  before(async () => {
    ({ line } = await stage.newTeam());
    const path = join(stage.config.data, 'whole.zst');
    await backUp(path);
    lines = readLines(path);
  });

  beforeEach(async () => {
    place = await createEmptyPlace(engine);
    file = join(stage.config.data, 'copy.zst');
    opened = [];
  });

  afterEach(async () => {
    await Promise.all(opened.map((database) => database.close()));
    await place.remove();
    rmSync(file, { force: true });
  });

  const restore = (env: Record<string, string> = place.env) => runCommand(['restore', file, '--json'], env);
  const open = (): Database => {
    const database = openDatabase(place.settings, () => undefined);
    opened.push(database);
    return database;
  };
  const refuses = async (expected: RegExp, env: Record<string, string> = place.env): Promise<void> => {
    const { code, stderr } = await restore(env);
    assert.match(stderr, expected);
    assert.equal(code, 1);
  };
  const cannotBeUsed = async (run: typeof runCommand, args: readonly string[]): Promise<void> => {
    const { code, stderr } = await run(args, place.env);
    assert.match(
      stderr,
      engine === 'sqlite'
        ? /Run "restore" again, or delete .*patchbay\.db\.part/
        : /This database is incomplete.*Run the same command again/,
    );
    assert.equal(code, 1);
  };

  test('has every delivery that was acknowledged before the backup began, however busy the service was', async () => {
    let acknowledged = 0;
    let calling = true;
    const callAgainAndAgain = async (): Promise<void> => {
      while (calling) {
        const { statusCode } = await line.rings(newCallSid());
        assert.equal(statusCode, 200);
        acknowledged++;
      }
    };
    const listIds = async (database: Database) =>
      new Set((await database.all<{ id: string }>('select id from deliveries')).map(({ id }) => id));
    const backUpMeanwhile = async () => {
      await waitUntil('there are some calls', async () => acknowledged > 20);
      const before = acknowledged;
      const ids = await listIds(stage.app.database);
      const made = await backUp();
      assert.ok(acknowledged > before, 'calls go on meanwhile');
      return { before, ids, made };
    };
    const callers = callAgainAndAgain();
    const { before, ids, made } = await backUpMeanwhile().finally(() => {
      calling = false;
      return callers;
    });
    const { code, stdout, stderr } = await restore();
    assert.equal(code, 0, stderr);
    const restored = JSON.parse(stdout);
    assert.deepEqual(restored.tables, made.tables);
    assert.deepEqual(restored.sealed.broken, []);
    assert.ok(restored.sealed.opened >= before);
    assert.equal(ids.difference(await listIds(open())).size, 0);
  });

  test('has all indexes and constraints of a new one', async () => {
    writeLines(file, lines);
    assert.equal((await restore()).code, 0);
    const list = (database: Database) =>
      database.all<{ name: string; definition: string }>(
        engine === 'sqlite'
          ? "select name, sql as definition from sqlite_schema where name not like 'sqlite_%' order by name"
          : `select indexname as name, indexdef as definition from pg_indexes where schemaname = current_schema()
             union all select conrelid::regclass || ' ' || conname, pg_get_constraintdef(oid) from pg_constraint
              where connamespace = current_schema()::regnamespace order by 1, 2`,
      );
    assert.deepEqual(await list(open()), await list(stage.app.database));
  });

  test('is refused where there is something, without the right keys, and from a file that is not whole', async () => {
    writeLines(file, lines);
    await refuses(
      engine === 'sqlite' ? /already is a database in .*another directory/ : /not empty/,
      settingsOf(stage),
    );
    await refuses(/authentication code is wrong.*other keys/, { ...place.env, PATCHBAY_KEYS: OTHER_KEY });
    await refuses(/made with the key "k1", which is not in PATCHBAY_KEYS/, {
      ...place.env,
      PATCHBAY_KEYS: OTHER_KEY.replace('k1', 'k2'),
    });
    const row = lines.findLastIndex((line) => line.startsWith('['));
    writeLines(file, lines.toSpliced(row, 1));
    await refuses(/damaged/);
    writeLines(file, lines.slice(0, -10));
    await refuses(/incomplete/);
    writeLines(
      file,
      lines.with(0, (lines[0] ?? '').replace('"migrations":[', '"migrations":[{"id":"9999-x","digest":""},')),
    );
    await refuses(/newer than this version.*9999-x/);
    writeLines(file, withTable(lines, 'teams select * from teams; create table made_by_a_file (a text); --'));
    await refuses(/a table that its migrations do not make/);
    writeLines(file, withTable(lines, 'recording_audio', ['..', '../../etc', '0', '']));
    await refuses(/A recording in the backup has no valid id/);
    const [header, ...body] = lines;
    const { migrations, ...others } = JSON.parse(header ?? '');
    writeLines(file, [toLine({ ...others, migrations: migrations.toSpliced(5, 1) }), ...body]);
    await refuses(/is listed without one before it/);
    const misfit = lines.map((line) => (line.startsWith('[') ? line.replace('"admin"', '"emperor"') : line));
    writeLines(file, toOlder(misfit, readMigrations().length));
    await refuses(/^[^\n]*: The database refused a row: [^\n]*role[^\n]* Nothing was kept\.\n$/);
    for (const value of ['9007199254740993', '1.5', '"soon"']) {
      writeLines(file, toOlder(withCreatedAt(lines, value), readMigrations().length));
      await refuses(/A value of teams\.created_at is not a whole number/);
    }
    // What an attempt left isn't taken for a service, and is no obstacle for the next one.
    writeLines(file, lines);
    await cannotBeUsed(runCommand, ['migrate']);
    if (engine === 'sqlite') {
      const log = join(place.settings.dataDirectory, 'patchbay.db-wal');
      writeFileSync(log, 'what a database that is gone has left');
      await refuses(/patchbay\.db-wal is left of a database.*another directory/);
      rmSync(log);
    }
    assert.equal((await restore()).code, 0);
  });

  test('that is killed while it is filled refuses to start, and can be restored again', async () => {
    // Enough for filling to take longer than noticing that it has begun.
    const rows = engine === 'sqlite' ? 100_000 : 30_000;
    await stage.app.database.run(
      `insert into used_tickets (digest, expires_at)
       with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${rows})
       select cast(n as text), n from numbers`,
    );
    await backUp();
    const program = startProgram(place.env, { args: ['restore', file] });
    const hasBegun = async (): Promise<boolean> => {
      if (engine === 'sqlite') return existsSync(join(place.settings.dataDirectory, 'patchbay.db.part'));
      const state = await open()
        .all<{ id: string }>('select id from schema_migrations')
        .catch(() => []);
      return state.length > 0;
    };
    await waitUntil('it has begun', hasBegun, 20_000);
    await program.end('SIGKILL');
    await cannotBeUsed(runProgram, ['serve']);
    assert.equal((await restore()).code, 0);
    const counted = await open().get<{ n: number }>('select count(*) as n from used_tickets');
    assert.equal(counted?.n, rows);
  });

  test('comes from an older version and is brought up to date', async () => {
    writeLines(file, toOlder(lines, 36));
    const { code, stderr, stdout } = await restore();
    assert.equal(code, 0, stderr);
    assert.match(JSON.parse(stdout).migration, /^0036/);
    const teams = await open().all('select id, report_hour from teams order by id');
    assert.deepEqual(teams, await stage.app.database.all('select id, report_hour from teams order by id'));
    assert.equal((await runCommand(['migrate', '--json'], place.env)).stdout.trim(), '{"applied":[]}');
  });

  test('without keys is refused, and nothing is written', async () => {
    writeLines(file, lines);
    const { PATCHBAY_KEYS: _, ...env } = place.env;
    const { code, stderr } = await runCommand(['restore', file], env);
    // With PostgreSQL, a setting is missing.
    const refusal = { sqlite: [1, /There are no keys.*secrets\.json/], postgresql: [2, /PATCHBAY_KEYS must be set/] };
    const [expected, why] = refusal[engine] as [number, RegExp];
    assert.equal(code, expected);
    assert.match(stderr, why);
    assert.deepEqual(readdirSync(place.settings.dataDirectory), []);
  });
});
