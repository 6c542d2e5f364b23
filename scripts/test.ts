// Runs the whole suite, or the files given: `npm test`, `node scripts/test.ts src/vault/*.test.ts`.
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';

const asked = process.argv.slice(2);
const files = asked.length > 0 ? asked : globSync(['src/**/*.test.ts', 'test/**/*.test.ts']).sort();

const { status } = spawnSync(
  process.execPath,
  ['--test', '--test-concurrency=2', '--test-timeout=120000', '--test-global-setup=test/harness/global.ts', ...files],
  { stdio: 'inherit', env: { ...process.env, NODE_ENV: 'test' } },
);
process.exit(status ?? 1);
