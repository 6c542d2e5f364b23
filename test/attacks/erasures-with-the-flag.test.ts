import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { toLine } from '../../src/archive/archive.ts';
import { createTestApp } from '../harness/app.ts';
import { readAllLines, withRows, writeAllLines } from '../harness/archive-lines.ts';
import { onOneEngine } from '../harness/databases.ts';
import { createEmptyPlace } from '../harness/places.ts';
import { runCommand, settingsOf } from '../harness/run-command.ts';
import { makeTestDirectory } from '../harness/test-directory.ts';
import { prepare, useStage } from '../harness/use-stage.ts';

onOneEngine('a later backup that names erasures, and whose code somebody removed', (engine) => {
  const stage = useStage(() => createTestApp(engine));
  const directory = useStage(async () => {
    const { path, remove } = makeTestDirectory('patchbay-erasures-');
    return { path, close: async () => remove() };
  });
  const acme = prepare(() => stage.createTeam('acme'));
  const file = (name: string): string => join(directory.path, `${name}.zst`);

  /** A team is erased, and it's as if an older version had made it. */
  const forge = (lines: readonly string[]): string[] => {
    const { key: _, ...header } = JSON.parse(lines[0] ?? '');
    const older = [toLine({ ...header, format: 1 }), ...lines.slice(1, -1)];
    return withRows(older, 'teams', (rows, columns) =>
      rows.map((row) =>
        row.includes(acme.team.id) ? toLine(JSON.parse(row).with(columns.indexOf('erasing_at'), 1)) : row,
      ),
    );
  };

  const prepareLater = async (): Promise<void> => {
    const made = await runCommand(['backup', file('original')], settingsOf(stage));
    assert.equal(made.code, 0, made.stderr);
    writeAllLines(file('later'), forge(readAllLines(file('original'))));
  };

  const restore = async (...flags: string[]) => {
    const place = await createEmptyPlace(engine);
    const ran = await runCommand(['restore', file('original'), '--erasures', file('later'), ...flags], place.env);
    await place.remove();
    return ran;
  };

  test('is not taken because of the flag for the restored one, and with its own flag not without a word', async () => {
    await prepareLater();
    const refused = await restore('--unauthenticated');
    assert.notEqual(refused.code, 0, refused.stdout);
    assert.match(refused.stderr, /no authentication code.* use --unauthenticated-erasures\./);
    const taken = await restore('--unauthenticated-erasures');
    assert.equal(taken.code, 0, taken.stderr);
    assert.match(taken.stdout, /Erased again: 1 team and 0 calls\. Nothing shows that nobody had changed what/);
  });

  test('is not taken by "restore erasures" without a word', async () => {
    const ran = await runCommand(['restore', 'erasures', file('later'), '--unauthenticated'], settingsOf(stage));
    assert.equal(ran.code, 0, ran.stderr);
    assert.match(ran.stdout, /Erased again: 1 team and 0 calls\. Nothing shows that nobody had changed what/);
  });
});
