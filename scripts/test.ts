// The checks and then the whole suite: `npm test`. Or only the files given: `npm test -- src/vault/vault.test.ts`.
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';

/** Every test file is a process of its own, and all of them load the same modules: compiled once is enough. */
const NODE_COMPILE_CACHE = 'node_modules/.cache/compiled';

const run = (args: readonly string[]): void => {
  const env = { ...process.env, NODE_ENV: 'test', NODE_COMPILE_CACHE };
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit', env });
  if (status !== 0) process.exit(status ?? 1);
};

const asked = process.argv.slice(2);
if (asked.length === 0) run(['scripts/check.ts']);
const files = asked.length > 0 ? asked : globSync(['src/**/*.test.ts', 'test/**/*.test.ts']).sort();

/** Rules without a database or anything else that one test could leave to the next: one process is enough. */
const isPure = (file: string): boolean => /^src\/(?:telephony\/(?:providers|markup)|reports)\//.test(file);
const pure = asked.length > 0 ? [] : files.filter(isPure);
const TIMEOUT = '--test-timeout=120000';
if (pure.length > 0) run(['--test', '--test-isolation=none', TIMEOUT, ...pure]);
run([
  '--test',
  // Three on two cores: many of them wait for something most of the time.
  '--test-concurrency=3',
  TIMEOUT,
  '--test-global-setup=test/harness/global.ts',
  ...files.filter((file) => !pure.includes(file)),
]);
