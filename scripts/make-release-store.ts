// Keeps the data that this version writes, so that every later version is tested with it: `npm run release-store`,
// once, right before the commit that gets the tag. See docs/upgrading.md.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { SECRETS } from '../test/harness/app.ts';
import { makeDataDirectory, startProgram, startServe } from '../test/harness/serve-process.ts';
import { walkThrough } from '../test/harness/walk-through.ts';

const { version }: { version: string } = JSON.parse(readFileSync('package.json', 'utf8'));
const path = `test/releases/${version}`;

const refuse = (line: string): never => {
  process.stderr.write(`${line}\n`);
  process.exit(1);
};

if (existsSync(`${path}.zst`))
  refuse(`${path}.zst exists. A version that is released never changes. If it isn't, remove the file first.`);

const data = makeDataDirectory();
const settings = { ...SECRETS, PATCHBAY_DATA: data.path };
const serving = await startServe(settings);
try {
  await serving.ready();
  const walked = await walkThrough(serving);
  const args = ['backup', `${process.cwd()}/${path}.zst`, '--json'];
  const backup = startProgram(settings, { args });
  if ((await backup.ended()).code !== 0) refuse(backup.output.stderr);
  const { takenAt } = JSON.parse(backup.output.stdout);
  const release = { keys: SECRETS.PATCHBAY_KEYS, takenAt, walked };
  writeFileSync(`${path}.json`, `${JSON.stringify(release, null, 2)}\n`);
  process.stdout.write(`Wrote ${path}.zst and ${path}.json.\n`);
} finally {
  await serving.end('SIGTERM');
  data.remove();
}
