import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, before, beforeEach, test } from 'node:test';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { migrateDatabase, openDatabase, readMigrations, readSchema, systemClock } from '../../src/platform/index.ts';
import { SECRETS } from '../harness/app.ts';
import { createTestStore, onEachEngine } from '../harness/databases.ts';
import { runCommand, settingsOf } from '../harness/run-command.ts';
import { startProgram } from '../harness/serve-process.ts';
import { openTelephonyStage } from '../harness/telephony-stage.ts';
import { makeTestDirectory } from '../harness/test-directory.ts';
import { useStage } from '../harness/use-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

const OTHER_KEY = 'k1:u5L2v0xW8nq3Yb7Rz1Kc6Ht9Jd4Mf0Ps2Gw5Xe8Qa7U=';

const readText = (path: string): string => zstdDecompressSync(readFileSync(path)).toString('utf8');

/** Ids of the rows of a table in the file, found without our own reader. */
const idsIn = (path: string, table: string): string[] => {
  const lines = readText(path).split('\n');
  const start = lines.findIndex((line) => line.startsWith(`{"table":"${table}"`));
  const end = lines.findIndex((line) => line.startsWith(`{"end":"${table}"`));
  return lines.slice(start + 1, end).map((line) => JSON.parse(line)[0]);
};

onEachEngine('a backup', (engine) => {
  const stage = useStage(() => openTelephonyStage(engine));
  let directory: ReturnType<typeof makeTestDirectory>;
  let file: string;

  before(() => stage.newTeam());

  beforeEach(() => {
    directory = makeTestDirectory('patchbay-backup-');
    file = join(directory.path, 'copy.zst');
  });

  afterEach(() => directory.remove());

  const settings = () => settingsOf(stage);
  const backUp = (path = file) => runCommand(['backup', path, '--json'], settings());
  const check = (path = file) => runCommand(['backup', 'check', path, '--json'], { PATCHBAY_DATA: directory.path });

  test('has every table that the migrations make, for its owner only, and no key', async () => {
    const { tables, rows: all, migration, bytes } = JSON.parse((await backUp()).stdout);
    const checked = JSON.parse((await check()).stdout);
    assert.deepEqual(checked.tables, tables);
    assert.deepEqual([checked.rows, checked.engine, checked.migration], [all, engine, migration]);
    assert.deepEqual(
      tables.map(({ name }: { name: string }) => name).sort(),
      readSchema()
        .map(({ name }) => name)
        .sort(),
    );
    const rows = tables.find(({ name }: { name: string }) => name === 'team_keys')?.rows;
    assert.equal(rows, 2);
    const { size, mode } = statSync(file);
    assert.deepEqual([size, mode & 0o777], [bytes, 0o600]);
    const key = SECRETS.PATCHBAY_KEYS.split(':')[1] ?? '';
    assert.ok(!readText(file).includes(key));
  });

  test('is refused where a file already is, in a folder that is missing, and without the right keys', async () => {
    writeFileSync(file, 'something else');
    const taken = await backUp();
    assert.equal(taken.code, 1);
    assert.match(taken.stderr, /copy\.zst already exists/);
    assert.equal(readFileSync(file, 'utf8'), 'something else');
    const nowhere = await backUp(join(directory.path, 'missing', 'copy.zst'));
    assert.equal(nowhere.code, 1);
    assert.match(nowhere.stderr, /no such file or directory/);
    const other = join(directory.path, 'other.zst');
    const wrong = await runCommand(['backup', other], { ...settings(), PATCHBAY_KEYS: OTHER_KEY });
    assert.equal(wrong.code, 1);
    assert.match(wrong.stderr, /wrong key "k1"/);
    assert.ok(!existsSync(other) && !existsSync(`${other}.part`));
  });

  test('is made of a store that an older version has written, and restored by this one', async (context) => {
    const older = await createTestStore(engine, { migrated: false });
    const database = openDatabase(older.settings, () => undefined);
    context.after(async () => {
      await database.close();
      await older.remove();
    });
    const migrations = readMigrations();
    const half = migrations.slice(0, migrations.length / 2);
    await migrateDatabase(database, systemClock, half);
    await database.run("insert into used_tickets (digest, expires_at) values ('kept', 1)");
    const { url, dataDirectory } = older.settings;
    const env = { PATCHBAY_DATA: dataDirectory, PATCHBAY_KEYS: SECRETS.PATCHBAY_KEYS };
    const made = await runCommand(['backup', file, '--json'], { ...env, DATABASE_URL: url?.reveal() ?? '' });
    assert.equal(made.code, 0, made.stderr);
    assert.equal(JSON.parse(made.stdout).migration, half.at(-1)?.id);
    const restored = { ...env, PATCHBAY_DATA: join(directory.path, 'restored') };
    const done = await runCommand(['restore', file], restored);
    assert.equal(done.code, 0, done.stderr);
    assert.equal((await runCommand(['migrate', '--check'], restored)).code, 0);
    assert.equal((await runCommand(['backup', `${file}.2`], restored)).code, 0);
    assert.deepEqual(idsIn(`${file}.2`, 'used_tickets'), ['kept']);
  });

  test('that is killed leaves only a part, which the next one replaces', async (context) => {
    context.after(() => stage.app.database.run('delete from used_tickets'));
    await stage.app.database.run(
      `insert into used_tickets (digest, expires_at)
       with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 30000)
       select cast(n as text), n from numbers`,
    );
    const part = `${file}.part`;
    writeFileSync(part, 'left behind');
    const program = startProgram(settings(), { args: ['backup', file] });
    const hasBegun = async () => existsSync(part) && readFileSync(part, 'utf8') !== 'left behind';
    await waitUntil('it has begun to write', hasBegun);
    await program.end('SIGKILL');
    assert.deepEqual([existsSync(file), existsSync(part)], [false, true]);
    assert.equal((await backUp()).code, 0);
    assert.deepEqual([existsSync(file), existsSync(part)], [true, false]);
    assert.equal(idsIn(file, 'used_tickets').length, 30_000);
  });

  test('is not looked for in a directory, nor where there is nothing, and says so', async () => {
    for (const command of [['backup', 'check'], ['restore']]) {
      const nothing = await runCommand([...command, join(directory.path, 'nothing.zst')], settings());
      assert.deepEqual(
        [nothing.code, /nothing\.zst: There is no such file\./.test(nothing.stderr)],
        [1, true],
        nothing.stderr,
      );
      const folder = await runCommand([...command, directory.path], settings());
      assert.deepEqual([folder.code, /: This is a directory\./.test(folder.stderr)], [1, true], folder.stderr);
    }
  });

  test('that is checked without keys says where to check it', async () => {
    assert.equal((await backUp()).code, 0);
    const { stdout } = await runCommand(['backup', 'check', file], { PATCHBAY_DATA: directory.path });
    assert.match(stdout, /For that, check it where PATCHBAY_KEYS is set\.$/m);
    const flagged = await runCommand(['backup', 'check', file, '--unauthenticated'], settings());
    assert.match(flagged.stdout, /For that, check it without --unauthenticated\.$/m);
  });

  test('is recognized as damaged wherever a byte is changed or missing', async () => {
    assert.equal((await backUp()).code, 0);
    const whole = readFileSync(file);
    const broken = join(directory.path, 'broken.zst');
    const refuses = async (what: string): Promise<void> => {
      const { code, stderr } = await check(broken);
      assert.equal(code, 1, what);
      assert.match(stderr, /damaged|incomplete|not a backup|bytes after its end/, what);
    };
    const last = whole.length - 1;
    for (const at of [...[0, 0.001, 0.3, 0.6, 0.95].map((share) => Math.floor(whole.length * share)), last]) {
      const flipped = Buffer.from(whole);
      flipped[at] = (flipped[at] ?? 0) ^ 1;
      writeFileSync(broken, flipped);
      await refuses(`a bit at ${at} of ${whole.length}`);
      writeFileSync(broken, whole);
      truncateSync(broken, at);
      await refuses(`cut at ${at} of ${whole.length}`);
    }
    const lines = readText(file).split('\n');
    const rewrite = (changed: readonly string[]): void => writeFileSync(broken, zstdCompressSync(changed.join('\n')));
    const row = lines.findIndex((line) => line.startsWith('['));
    rewrite(lines.toSpliced(row, 1));
    await refuses('a row is missing');
    rewrite(lines.toSpliced(row, 0, lines[row] ?? ''));
    await refuses('a row is there twice');
    rewrite(lines.toSpliced(-2, 1));
    await refuses('the last line is missing');
    rewrite(['{"hello":1}', '']);
    await refuses('it is something else');
    rewrite(lines.with(0, (lines[0] ?? '').replace('"format":2', '"format":3')));
    assert.match((await check(broken)).stderr, /newer version/);
  });
});
