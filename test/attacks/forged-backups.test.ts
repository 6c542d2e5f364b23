import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { toLine } from '../../src/archive/archive.ts';
import { digestOf, randomSecret } from '../../src/platform/index.ts';
import { createTestApp, SECRETS } from '../harness/app.ts';
import { readAllLines, withRows, writeAllLines } from '../harness/archive-lines.ts';
import { onOneEngine } from '../harness/databases.ts';
import { createEmptyPlace, type EmptyPlace } from '../harness/places.ts';
import { runCommand, settingsOf } from '../harness/run-command.ts';
import { makeTestDirectory } from '../harness/test-directory.ts';
import { prepare, useStage } from '../harness/use-stage.ts';

const NEWER_KEY = 'k2:u5L2v0xW8nq3Yb7Rz1Kc6Ht9Jd4Mf0Ps2Gw5Xe8Qa7U=';
const ROTATED = `${NEWER_KEY},${SECRETS.PATCHBAY_KEYS}`;

/** Its lines, or the bytes of the file. */
type Content = readonly string[] | Buffer;

onOneEngine('a backup that somebody else could write to', (engine) => {
  const stage = useStage(() => createTestApp(engine));
  const directory = useStage(async () => {
    const { path, remove } = makeTestDirectory('patchbay-forged-');
    return { path, close: async () => remove() };
  });
  const file = (name: string): string => join(directory.path, `${name}.zst`);

  const backUp = async (name: string): Promise<string[]> => {
    const { code, stderr } = await runCommand(['backup', file(name)], settingsOf(stage));
    assert.equal(code, 0, stderr);
    return readAllLines(file(name));
  };

  const team = prepare(() => stage.createTeam('acme'));
  const original = prepare(async () => ({ team: team.team.name, lines: await backUp('original') }));

  /** What is in a place that should be empty. */
  const findLeft = (place: EmptyPlace): string[] => readdirSync(place.settings.dataDirectory);

  const forge = (content: Content): void =>
    Buffer.isBuffer(content) ? writeFileSync(file('forged'), content) : writeAllLines(file('forged'), content);

  const restoreAs = async (content: Content, args: readonly string[] = [], env: Record<string, string> = {}) => {
    forge(content);
    const place = await createEmptyPlace(engine);
    const ran = await runCommand(['restore', file('forged'), ...args, '--json'], { ...place.env, ...env });
    const left = findLeft(place);
    await place.remove();
    return { ...ran, left };
  };

  const check = async (content: Content, args: readonly string[] = [], env: Record<string, string> = {}) => {
    forge(content);
    const ran = await runCommand(['backup', 'check', file('forged'), ...args, '--json'], {
      PATCHBAY_DATA: directory.path,
      ...env,
    });
    return { ...ran, said: JSON.parse(ran.stdout) };
  };

  const expectForged = async (content: Content, expected = /authentication code is wrong/): Promise<void> => {
    const restored = await restoreAs(content);
    assert.match(restored.stderr, expected);
    assert.equal(restored.code, 1);
    assert.deepEqual(restored.left, [], 'Something was written.');
    const checked = await check(content, [], { PATCHBAY_KEYS: SECRETS.PATCHBAY_KEYS });
    assert.match(checked.stderr, expected);
    assert.equal(checked.code, 1);
  };

  /** An access token that its maker knows, and all checksums that then belong there. */
  const plantToken = (lines: readonly string[]): string[] => {
    const planted: Record<string, string | number | null> = {
      ...{ id: '019a8a5e-0000-7000-8000-00000000abcd', team_id: team.team.id, user_id: team.admin.user.id },
      ...{ digest: digestOf(randomSecret()), name: 'planted', created_at: 0, expires_at: 4_000_000_000_000 },
    };
    return withRows(lines, 'access_tokens', (rows, columns) => {
      const [row = '[]'] = rows;
      const known = JSON.parse(row);
      return [
        ...rows,
        toLine(columns.map((column, at) => (column in planted ? (planted[column] ?? null) : known[at]))),
      ];
    });
  };

  test('is restored and checked as it is', async () => {
    const { lines } = original;
    const checked = await check(lines, [], { PATCHBAY_KEYS: SECRETS.PATCHBAY_KEYS });
    assert.deepEqual([checked.code, checked.said.authenticated], [0, true]);
    const restored = await restoreAs(lines);
    assert.equal(restored.code, 0, restored.stderr);
    assert.equal(JSON.parse(restored.stdout).authenticated, true);
  });

  test('lets no planted access token in, even with the right checksums', async () => {
    const { lines } = original;
    const [body, code] = [lines.slice(0, -1), lines.at(-1) ?? ''];
    const forged = plantToken(body);
    assert.equal(forged.length, body.length + 1);
    await expectForged([...forged, code]);
  });

  test('is refused without its authentication code, also as if an older version had made it', async () => {
    const { lines } = original;
    await expectForged(lines.slice(0, -1), /incomplete/);
    const { key: _, ...header } = JSON.parse(lines[0] ?? '');
    const older = [toLine({ ...header, format: 1 }), ...plantToken(lines.slice(0, -1)).slice(1, -1)];
    const complete = withRows([...older, ''], 'access_tokens', (rows) => rows);
    await expectForged(complete, /has no authentication code.*--unauthenticated/);
  });

  test('is refused if anything in it is elsewhere, missing, or from another backup', async () => {
    const { lines } = original;
    const row = lines.findIndex((line) => line.startsWith('{"table":"users"')) + 1;
    const other = await backUp('other');
    const forgeries = {
      'rows that changed places': lines.with(row, lines[row + 1] ?? '').with(row + 1, lines[row] ?? ''),
      'the code of another backup': [...lines.slice(0, -1), other.at(-1) ?? ''],
      'a code that is no code': [...lines.slice(0, -1), '{"mac":""}'],
    };
    for (const [what, forged] of Object.entries(forgeries)) {
      assert.notDeepEqual(forged, lines, what);
      await expectForged(forged);
    }
    await expectForged([...lines, lines[row] ?? ''], /damaged/);
    await expectForged([...lines, ...lines.slice(1)], /damaged/);
    await expectForged(lines.slice(0, -2), /incomplete/);
  });

  test('is refused if something was appended to the file', async () => {
    const whole = readFileSync(file('original'));
    await expectForged(Buffer.concat([whole, Buffer.from('more')]), /has bytes after its end/);
    await expectForged(Buffer.concat([whole, whole]), /has bytes after its end/);
  });

  test('is refused if it names another key of the ring, or another time', async () => {
    const { lines } = original;
    const first = lines[0] ?? '';
    for (const header of [first.replace('"key":"k1"', '"key":"k2"'), first.replace(/"about":\d+/, '"about":7')]) {
      assert.notEqual(header, first);
      // With the checksum of the lines that aren't rows, which has to be right.
      const forged = withRows([header, ...lines.slice(1, -1)], 'users', (rows) => rows);
      const restored = await restoreAs([...forged, lines.at(-1) ?? ''], [], { PATCHBAY_KEYS: ROTATED });
      assert.match(restored.stderr, /authentication code is wrong/);
      assert.deepEqual([restored.code, restored.left], [1, []]);
    }
  });

  test('is not made acceptable by the flag for older ones, if it has a code', async () => {
    const { lines } = original;
    const forged = [...plantToken(lines.slice(0, -1)), lines.at(-1) ?? ''];
    const restored = await restoreAs(forged, ['--unauthenticated']);
    assert.match(restored.stderr, /authentication code is wrong/);
    assert.deepEqual([restored.code, restored.left], [1, []]);
  });

  test('repeats no erasures that somebody has made up', async () => {
    const { lines } = original;
    const forged = withRows(lines.slice(0, -1), 'teams', (rows, columns) =>
      rows.map((row) => toLine(JSON.parse(row).with(columns.indexOf('erasing_at'), 1))),
    );
    writeAllLines(file('erasures'), [...forged, lines.at(-1) ?? '']);
    const ran = await runCommand(['restore', 'erasures', file('erasures')], settingsOf(stage));
    assert.match(ran.stderr, /authentication code is wrong/);
    assert.equal(ran.code, 1);
    assert.deepEqual(await stage.app.database.all('select id from teams where erasing_at is not null'), []);
  });

  test('is restored after the key ring was rotated, but not without the key that it was made with', async () => {
    const { lines } = original;
    const rotated = await restoreAs(lines, [], { PATCHBAY_KEYS: ROTATED });
    assert.equal(rotated.code, 0, rotated.stderr);
    assert.equal(JSON.parse(rotated.stdout).authenticated, true);
    const without = await restoreAs(lines, [], { PATCHBAY_KEYS: NEWER_KEY });
    assert.match(without.stderr, /made with the key "k1", which is not in PATCHBAY_KEYS/);
    assert.deepEqual([without.code, without.left], [1, []]);
  });

  test('is made with the first key of a rotated ring', async () => {
    const rotated = file('rotated');
    const made = await runCommand(['backup', rotated], { ...settingsOf(stage), PATCHBAY_KEYS: ROTATED });
    assert.equal(made.code, 0, made.stderr);
    const lines = readAllLines(rotated);
    assert.equal(JSON.parse(lines[0] ?? '').key, 'k2');
    assert.equal((await check(lines, [], { PATCHBAY_KEYS: ROTATED })).said.authenticated, true);
    const other = await check(lines, [], { PATCHBAY_KEYS: SECRETS.PATCHBAY_KEYS });
    assert.match(other.stderr, /made with the key "k2", which is not in PATCHBAY_KEYS/);
  });

  test('is said not to be authenticated where there are no keys, or if nobody wants to know', async () => {
    const { lines } = original;
    const forged = [...plantToken(lines.slice(0, -1)), lines.at(-1) ?? ''];
    for (const [args, env, advice] of [
      [[], {}, /nobody has changed it\. .* where PATCHBAY_KEYS is set/],
      [['--unauthenticated'], { PATCHBAY_KEYS: SECRETS.PATCHBAY_KEYS }, /nobody has changed it\. .* without --unauth/],
    ] as const) {
      const { code, said } = await check(forged, args, env);
      assert.deepEqual([code, said.authenticated], [0, false]);
      const told = await runCommand(['backup', 'check', file('forged'), ...args], {
        PATCHBAY_DATA: directory.path,
        ...env,
      });
      assert.match(told.stdout, /is complete: /);
      assert.match(told.stdout, advice);
    }
    assert.ok(!existsSync(join(directory.path, 'secrets.json')), 'Checking a backup makes no keys.');
  });

  test('is taken from an older version with the flag, which is then said', async () => {
    const { lines } = original;
    const { key: _, ...header } = JSON.parse(lines[0] ?? '');
    const older = withRows([toLine({ ...header, format: 1 }), ...lines.slice(1, -1)], 'users', (rows) => rows);
    const restored = await restoreAs(older, ['--unauthenticated']);
    assert.equal(restored.code, 0, restored.stderr);
    assert.equal(JSON.parse(restored.stdout).authenticated, false);
    const checked = await check(older, ['--unauthenticated'], { PATCHBAY_KEYS: SECRETS.PATCHBAY_KEYS });
    assert.deepEqual([checked.code, checked.said.authenticated], [0, false]);
  });
});
