// The checks and then the whole suite: `npm test`, or with the browser tests beside it: `npm test -- --browser`.
// Or only the files given: `npm test -- src/vault/vault.test.ts`.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { pathToFileURL } from 'node:url';
import { globalSetup, globalTeardown } from '../test/harness/global.ts';
import { findChromium } from './find-chromium.ts';

/** Loading the service takes longer than most test files, so about a dozen of them share a process. */
const PROCESSES = 15;
/** One more than the two cores, because some tests wait most of the time. */
const AT_ONCE = 3;
const TIMEOUT_MS = 120_000;
const UNTIMED_MS = 5_000;
const FOLDER = resolve('node_modules/.cache/test-processes');
/** How long each file took the last time, in milliseconds. */
const TIMES = resolve('node_modules/.cache/test-times.json');

process.env['NODE_ENV'] = 'test';
/** All processes load the same modules, so they're compiled only once. */
process.env['NODE_COMPILE_CACHE'] = resolve('node_modules/.cache/compiled');

/**
 * Tests end processes and never the machine, so waiting until a disk has what they write would prove nothing. Where
 * there is little memory, as in most containers, they use the disk.
 */
const MEMORY = '/dev/shm';
const LEAST_MEMORY_BYTES = 4 * 2 ** 30;
const hasMemory = (): boolean => {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= LEAST_MEMORY_BYTES;
  } catch {
    return false;
  }
};
if (hasMemory()) {
  const directory = mkdtempSync(join(MEMORY, 'patchbay-tests-'));
  // Open to others like the temporary directory, so that what a test closes to them is closed by itself.
  chmodSync(directory, 0o755);
  process.env['PATCHBAY_TEST_DIRECTORY'] = directory;
  process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
}

const checkFirst = (): void => {
  const { status } = spawnSync(process.execPath, ['scripts/check.ts'], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
};

const toModule = (file: string): string => JSON.stringify(pathToFileURL(file).href);

/** Must be loaded before `node:test`. */
const OPENING = `import { stopTracking } from ${toModule('scripts/stop-tracking.ts')};
const { before, describe } = await import('node:test');
`;

/** Each file is a suite with its name, so that its hooks only apply to its own tests. */
const suiteOf = (file: string): string => `describe(${JSON.stringify(file)}, async () => {
  before(stopTracking);
  await import(${toModule(file)});
});
`;

const times: Record<string, number> = existsSync(TIMES) ? JSON.parse(readFileSync(TIMES, 'utf8')) : {};

const writeProcess = (name: string, files: readonly string[]): string => {
  const path = join(FOLDER, `${name}.js`);
  writeFileSync(path, `${OPENING}${files.map(suiteOf).join('')}`);
  return path;
};

/**
 * Deals the files, slowest first, always to the process with the least to do, and starts the process with the most to do
 * first, so that all finish at about the same time. Files that were never timed are dealt like cards, because those next
 * to each other tend to be equally slow. Returns what each process runs.
 */
const deal = (files: readonly string[]): string[] => {
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  const timeOf = (file: string): number => times[file] ?? UNTIMED_MS;
  const hands = Array.from({ length: PROCESSES }, () => ({ files: [] as string[], ms: 0 }));
  for (const file of files.toSorted((left, right) => timeOf(right) - timeOf(left))) {
    const hand = hands.reduce((least, other) => (other.ms < least.ms ? other : least));
    hand.files.push(file);
    hand.ms += timeOf(file);
  }
  return hands
    .sort((left, right) => right.ms - left.ms)
    .map((hand, index) => writeProcess(String(index + 1), hand.files));
};

/** Each browser test has a process, early on and between others, so that few browsers run at once. */
const mixIn = (processes: readonly string[], browser: readonly string[]): string[] =>
  processes.flatMap((path, index) => {
    const file = browser[index];
    return file ? [path, writeProcess(`browser-${index + 1}`, [file])] : [path];
  });

const asked = process.argv.slice(2).filter((argument) => argument !== '--browser');
const wantsBrowser = asked.length === 0 && process.argv.includes('--browser');
if (asked.length === 0) checkFirst();
const files =
  asked.length > 0
    ? []
    : globSync(['src/**/*.test.ts', 'packages/*/src/*.test.ts', 'test/**/*.test.ts'], {
        exclude: ['test/browser/**'],
      }).sort();
const browserFiles = wantsBrowser ? globSync('test/browser/*.test.ts').sort() : [];
if (wantsBrowser) process.env['CHROMIUM'] = findChromium();

await globalSetup();
const events = run({
  files: asked.length > 0 ? asked.map((file) => resolve(file)) : mixIn(deal(files), browserFiles),
  concurrency: AT_ONCE,
  execArgv: [`--test-timeout=${TIMEOUT_MS}`],
});
const unheard = new Set([...files, ...browserFiles]);
events.on('test:complete', ({ name, details }) => {
  if (unheard.delete(name)) times[name] = Math.round(details.duration_ms);
});
events.on('test:fail', ({ todo }) => {
  if (!todo) process.exitCode = 1;
});
await pipeline(events, new spec(), process.stdout, { end: false });
await globalTeardown();
if (files.length > 0) writeFileSync(TIMES, JSON.stringify(times));

// Otherwise, a process that exits early with code 0 would silently skip its other files.
if (unheard.size > 0) {
  process.stderr.write(`Not run to the end: ${[...unheard].join(', ')}\n`);
  process.exitCode = 1;
}
