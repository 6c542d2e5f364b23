import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { openServeStage } from '../harness/serve-stage.ts';
import { waitUntil } from '../harness/wait-until.ts';

const SCRIPT = '/usr/bin/script';

/** Runs the program at a terminal of its own. This is how `script` of util-linux is called. */
const AT_A_TERMINAL = {
  node: '/bin/sh',
  nodeArguments: ['-c', `exec ${SCRIPT} -qec "$0 $*" /dev/null`, process.execPath],
};

const skip = process.platform === 'linux' && existsSync(SCRIPT) ? false : `needs ${SCRIPT}`;

test('the first start is readable lines at a terminal, and the welcome is the last of them', {
  skip,
}, async (context) => {
  const stage = openServeStage(context);
  const serving = await stage.serve({ PATCHBAY_DATA: stage.newDirectory() }, AT_A_TERMINAL);
  const isWelcoming = (): boolean => serving.output.stdout.includes('Browse the API');
  await waitUntil('the welcome is printed', isWelcoming, 40_000);
  assert.equal((await serving.fetch('/readyz')).status, 200);
  const lines = stripVTControlCharacters(serving.output.stdout)
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '');
  assert.deepEqual(
    lines.filter((line) => line.startsWith('{')),
    [],
  );
  const migrated = lines.find((line) => line.includes('database migrated')) ?? assert.fail();
  assert.match(migrated, /^\d\d:\d\d:\d\d +info +database migrated +applied=0001-teams-teams … \S+ \(\d+\)$/);
  assert.match(lines.at(-1) ?? '', /^ {2}Browse the API at /);
  assert.ok(lines.some((line) => /^ {4}http:\S+\/sign-in\/\S+$/.test(line)));
  serving.kill('SIGTERM');
  const hasStopped = (): Promise<boolean> =>
    serving.fetch('/healthz').then(
      () => false,
      () => true,
    );
  await waitUntil('the program behind the terminal has stopped', hasStopped);
});
