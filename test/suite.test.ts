// The suite itself: nothing in it may go unnoticed.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { findTouched } from '../scripts/suite/find-changed.ts';
import { LEFT_NAMES, pickFiles } from '../scripts/suite/list-files.ts';
import type { Engines, Failure, FileResult } from '../scripts/suite/messages.ts';
import { runFiles } from '../scripts/suite/run-files.ts';
import { makeTestDirectory } from './harness/test-directory.ts';

const HARNESS = pathToFileURL(resolve('test/harness/databases.ts')).href;
const HEAD = `import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { onEachEngine, onOneEngine } from '${HARNESS}';
`;

/** Runs files with these texts, and returns what a person would be told. */
const run = async (texts: readonly string[], engines: Engines, namePatterns: readonly string[] = []) => {
  const directory = makeTestDirectory('patchbay-suite-');
  const files = texts.map((text, index) => {
    const path = join(directory.path, `${index}.test.ts`);
    writeFileSync(path, HEAD + text);
    return { path, part: 'units' };
  });
  const nameOf = (path = ''): string => path.slice(directory.path.length + 1);
  const told = { passed: [] as string[], failed: [] as Failure[], crashed: [] as string[], done: [] as FileResult[] };
  await runFiles(
    files,
    { chooseEngines: () => engines, namePatterns, isClose: false },
    {
      started: () => undefined,
      note: () => undefined,
      passed: (names) => void told.passed.push(names.slice(1).join(' ')),
      failed: (failure) => void told.failed.push(failure),
      crashed: (path) => void told.crashed.push(nameOf(path)),
      done: (result) => void told.done.push({ ...result, path: nameOf(result.path) }),
    },
  );
  directory.remove();
  const counts = told.done.map(({ path, passed, failed }) => ({ path, passed, failed }));
  return { ...told, counts: counts.toSorted((left, right) => left.path.localeCompare(right.path)) };
};

test('what fails is told with its names, what was expected, and where', async () => {
  const { passed, failed, counts, crashed } = await run(
    [
      `describe('a sum', () => {
        test('is right', () => assert.equal(1 + 1, 2));
        test('is wrong', () => assert.equal(1 + 1, 3));
      });`,
      `describe('a stage', () => {
        before(() => { throw new Error('It is closed.'); });
        test('is never played on', () => undefined);
      });`,
      `throw new Error('It has no tests.');`,
    ],
    'both',
  );
  assert.deepEqual(passed, ['a sum is right']);
  const [sum, stage, empty] = failed.toSorted((left, right) =>
    String(left.names[0]).localeCompare(String(right.names[0])),
  );
  assert.deepEqual(sum?.names.slice(1), ['a sum', 'is wrong']);
  assert.match(sum?.message ?? '', /2 !== 3/);
  assert.match(sum?.where ?? '', /0\.test\.ts:6:/);
  assert.equal(stage?.message, 'It is closed.');
  assert.equal(empty?.message, 'It has no tests.');
  assert.deepEqual(counts, [
    { path: '0.test.ts', passed: 1, failed: 1 },
    { path: '1.test.ts', passed: 0, failed: 2 },
    { path: '2.test.ts', passed: 0, failed: 1 },
  ]);
  assert.deepEqual(crashed, []);
});

test('a process that ends early is noticed, and the other files still run', async () => {
  const { passed, crashed } = await run(
    [`test('ends everything', () => process.exit(0));`, `test('runs', () => undefined);`],
    'both',
  );
  assert.deepEqual(passed, ['runs']);
  assert.deepEqual(crashed, ['0.test.ts']);
});

test('a test that is declared after its file has been read is noticed', async () => {
  const { crashed } = await run(
    [`setImmediate(() => test('late', () => undefined)); test('runs', () => new Promise(setImmediate));`],
    'both',
  );
  assert.deepEqual(crashed, ['0.test.ts']);
});

test('between them, the two parts of the suite run each test once', async () => {
  const text = `test('alone', () => undefined);
    onEachEngine('on each', () => void test('runs', () => undefined));
    onOneEngine('on one', () => void test('runs', () => undefined));`;
  const quick = await run([text], 'first');
  const left = await run([text], 'other', LEFT_NAMES);
  const whole = await run([text], 'both');
  assert.deepEqual(quick.passed, [
    'alone',
    'on each (sqlite) runs',
    'on each (postgresql) runs',
    'on one (sqlite) runs',
  ]);
  assert.deepEqual(left.passed, ['on one (also on postgresql) runs']);
  assert.deepEqual(whole.passed.toSorted(), [...quick.passed, ...left.passed].toSorted());
});

test('a file that is named twice, or also by its folder, runs once', () => {
  const { files, missing } = pickFiles(['src/vault/vault.test.ts', 'src/vault', 'src/vault/', 'src/nowhere']);
  assert.equal(files.filter(({ path }) => path === 'src/vault/vault.test.ts').length, 1);
  assert.deepEqual(missing, ['src/nowhere']);
});

test('a change touches the tests that import it, those of its neighbors, and those that name it', () => {
  const touchedBy = (file: string): string[] => findTouched([file]).map(({ path }) => path);
  assert.ok(touchedBy('src/vault/vault.ts').includes('src/vault/vault.test.ts'));
  assert.ok(touchedBy('src/telephony/calls/call.ts').includes('src/telephony/calls/call.test.ts'));
  const neighbor = 'src/integrations/proxy/links/own-places.test.ts';
  assert.ok(touchedBy('src/integrations/proxy/links/rewrite-links.ts').includes(neighbor));
  assert.ok(touchedBy('docs/events.md').includes('test/journeys/event-receiver-in-docs.test.ts'));
  assert.ok(touchedBy('src/vault/vault.ts').length < 30, 'not everything that has a vault');
});
