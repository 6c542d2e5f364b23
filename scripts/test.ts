// The checks and then the whole suite: `npm test`, or with the browser tests beside it: `npm test -- --browser`.
// Or only the files given: `npm test -- src/vault/vault.test.ts`.
import { spawn } from 'node:child_process';
import { chmodSync, globSync, mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { pathToFileURL } from 'node:url';
import { globalSetup, globalTeardown } from '../test/harness/global.ts';
import { installChromium } from './find-chromium.ts';

/** More than needed: whatever starts after the last file has been taken ends at once. */
const PROCESSES = 12;
/** One more than the two cores: many tests wait most of the time, and those that measure time need some to spare. */
const AT_ONCE = 3;
/** Loading the service takes longer than most test files, so a process runs many of them. */
const PROCESS_MS = 240_000;
const TIMEOUT_MS = 120_000;
const FOLDER = resolve('node_modules/.cache/test-processes');

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

const checkFirst = (): Promise<void> =>
  new Promise((done) => {
    spawn(process.execPath, ['scripts/check.ts'], { stdio: 'inherit' }).on('close', (code) => {
      if (code !== 0) process.exit(code ?? 1);
      done();
    });
  });

const toModule = (file: string): string => JSON.stringify(pathToFileURL(file).href);

/**
 * What usually takes longest is begun first, so that all processes finish at about the same time. Attacks and faults are
 * mixed by their names, because faults wait most of the time.
 */
const SLOWEST_FIRST = [/^test\/(attacks|faults)/, /^test/, /./];
const rankOf = (file: string): number => SLOWEST_FIRST.findIndex((pattern) => pattern.test(file));
const compareFiles = (left: string, right: string): number =>
  rankOf(left) - rankOf(right) || basename(left).localeCompare(basename(right));

const writeProcess = (name: string, files: readonly string[], forMs: number): string => {
  const path = join(FOLDER, `${name}.js`);
  const source = `import { claimFiles } from ${toModule('scripts/claim-files.ts')};
await claimFiles(${JSON.stringify(join(FOLDER, 'claimed'))}, ${JSON.stringify(files)}, ${forMs});
`;
  writeFileSync(path, source);
  return path;
};

/**
 * Each browser test has a process. They come early and two at a time, because they take long: what is left for the end are
 * small files, which keep all processes busy.
 */
const writeProcesses = (files: readonly string[], browser: readonly string[]): string[] => {
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  const inOrder = files.toSorted(compareFiles);
  const processes = Array.from({ length: PROCESSES }, (_, index) => {
    const isLast = index === PROCESSES - 1;
    return writeProcess(String(index + 1), inOrder, isLast ? Number.MAX_SAFE_INTEGER : PROCESS_MS);
  });
  const browsers = browser.map((file, index) => writeProcess(`browser-${index + 1}`, [file], PROCESS_MS));
  return [...processes.slice(0, AT_ONCE - 2), ...browsers, ...processes.slice(AT_ONCE - 2)];
};

const asked = process.argv.slice(2).filter((argument) => argument !== '--browser');
const wantsBrowser = asked.length === 0 && process.argv.includes('--browser');
if (asked.length === 0) await Promise.all([checkFirst(), wantsBrowser && installChromium()]);
const files =
  asked.length > 0
    ? []
    : globSync(['src/**/*.test.ts', 'packages/*/src/*.test.ts', 'test/**/*.test.ts'], {
        exclude: ['test/browser/**'],
      }).sort();
const browserFiles = wantsBrowser ? globSync('test/browser/*.test.ts').sort() : [];

await globalSetup();
const events = run({
  files: asked.length > 0 ? asked.map((file) => resolve(file)) : writeProcesses(files, browserFiles),
  concurrency: AT_ONCE,
  execArgv: [`--test-timeout=${TIMEOUT_MS}`, `--import=${pathToFileURL('bin/quick-imports.js').href}`],
});
const unheard = new Set([...files, ...browserFiles]);
events.on('test:complete', ({ name }) => void unheard.delete(name));
events.on('test:fail', ({ todo }) => {
  if (!todo) process.exitCode = 1;
});
await pipeline(events, new spec(), process.stdout, { end: false });
await globalTeardown();

// Otherwise, a process that exits early with code 0 would silently skip its other files.
if (unheard.size > 0) {
  process.stderr.write(`Not run to the end: ${[...unheard].join(', ')}\n`);
  process.exitCode = 1;
}
