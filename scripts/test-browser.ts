// The pages in a real browser: `npm run test:browser`. Or only the files given.
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { installChromium } from './find-chromium.ts';

await installChromium();
const asked = process.argv.slice(2);
const files = asked.length > 0 ? asked : globSync('test/browser/*.test.ts').sort();
const env = {
  ...process.env,
  NODE_ENV: 'test',
  NODE_COMPILE_CACHE: 'node_modules/.cache/compiled',
};
const { status } = spawnSync(process.execPath, ['--test', '--test-concurrency=2', '--test-timeout=120000', ...files], {
  stdio: 'inherit',
  env,
});
process.exit(status ?? 1);
