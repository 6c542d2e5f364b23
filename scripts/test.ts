// `npm test`: runs the checks and the suite, or a part of it. `npm test -- --help` lists the options.
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { globalSetup, globalTeardown } from '../test/harness/global.ts';
import { installChromium } from './find-chromium.ts';
import { makeBusy } from './suite/busy.ts';
import { findChanged } from './suite/find-changed.ts';
import { isLeft, isQuick, LEFT_NAMES, listFiles, pickFiles, type TestFile } from './suite/list-files.ts';
import type { Engines } from './suite/messages.ts';
import { createPrinter } from './suite/print-results.ts';
import { runFiles } from './suite/run-files.ts';

const HELP = `npm test                        the checks, every unit test, attack and journey (six to eight minutes on two cores)
npm test -- --all               everything, on both engines, with faults and the browser
npm test -- --rest              what --all has and npm test doesn't
npm test -- --changed           only what a change touches: tests that import it, without the other rooms
npm test -- --changed=main      … from main
npm test -- <file or folder>…   only these, on both engines
           --only '<title>'     … and only tests with these words in their name

With --busy, four endless loops run beside it and processes are stopped at random, to find tests that depend on time.
SEED=<number> repeats a run's random choices.
`;

/** The upper bound of seeds that fast-check accepts. */
const SEEDS = 2 ** 31;
const MOST_FOLLOWED_CLOSELY = 20;

const refuse = (reason: string): never => {
  process.stderr.write(`${reason}\n\n${HELP}`);
  process.exit(2);
};

const readArguments = () => {
  // `--changed` alone means the last commit.
  const args = process.argv.slice(2).map((argument) => (argument === '--changed' ? '--changed=HEAD' : argument));
  const options = {
    all: { type: 'boolean' },
    rest: { type: 'boolean' },
    changed: { type: 'string' },
    only: { type: 'string' },
    busy: { type: 'boolean' },
    help: { type: 'boolean' },
  } as const;
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  }
};

const { values, positionals } = readArguments();
if (values.help) {
  process.stdout.write(HELP);
  process.exit(0);
}

const chooseFiles = (): TestFile[] => {
  if (positionals.length > 0) {
    const { files, missing } = pickFiles(positionals);
    if (missing.length > 0) refuse(`There is no test file or folder of tests at ${missing.join(', ')}.`);
    return files;
  }
  if (values.changed !== undefined) return findChanged(values.changed);
  if (values.all) return listFiles();
  return listFiles().filter(values.rest ? isLeft : isQuick);
};

const escapePattern = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');

const files = chooseFiles();
const isWhole = positionals.length === 0 && values.changed === undefined;
const isRest = isWhole && values.rest === true && !values.all;
const isQuickRun = isWhole && !values.rest && !values.all;

const chooseEngines = (file: TestFile): Engines => {
  if (isQuickRun) return 'first';
  return isRest && isQuick(file) ? 'other' : 'both';
};

process.env['NODE_ENV'] = 'test';
/** Shares a compile cache, because all processes load the same modules. */
process.env['NODE_COMPILE_CACHE'] = resolve('node_modules/.cache/compiled');
process.env['SEED'] ??= String(randomInt(SEEDS));

/**
 * Test data is kept in memory. Tests kill processes, but never the machine, so waiting for a disk would prove nothing.
 * If there is little memory, as in most containers, the disk is used.
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
  // Let other users read the directory, as with the system's temporary directory. Otherwise, files in it are private
  // even if the service doesn't make them so, and tests of that prove nothing.
  chmodSync(directory, 0o755);
  process.env['PATCHBAY_TEST_DIRECTORY'] = directory;
  process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));

/** Returns how long the checks took. */
const check = (): Promise<number> =>
  new Promise((done) => {
    const begun = performance.now();
    spawn(process.execPath, ['scripts/check.ts'], { stdio: 'inherit' }).on('close', (code) => {
      if (code !== 0) process.exit(code ?? 1);
      done(performance.now() - begun);
    });
  });

if (files.length === 0) {
  process.stdout.write('No test imports what has changed. `npm test` runs everything.\n');
  process.exit(0);
}
if (files.some(({ part }) => part === 'browser')) await installChromium();
const [checksMs] = await Promise.all([isWhole && !isRest ? check() : null, globalSetup()]);
const calmDown = values.busy ? makeBusy() : async () => undefined;
const isClose = !isWhole && files.length <= MOST_FOLLOWED_CLOSELY;
const { listener, summarize } = createPrinter(files, { seed: process.env['SEED'], isClose });
const only = values.only === undefined ? [] : [`/${escapePattern(values.only)}/`];
await runFiles(files, { chooseEngines, namePatterns: isRest ? LEFT_NAMES : only, isClose }, listener);
await calmDown();
await globalTeardown();
process.exitCode = summarize(checksMs) ? 0 : 1;
