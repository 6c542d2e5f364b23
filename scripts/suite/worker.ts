// One process of a run: runs one test file after the other, as the run tells it to.
import { createRequire, flushCompileCache } from 'node:module';
import { resolve } from 'node:path';
import type { ToWorker } from './messages.ts';
// Must be loaded before `node:test`.
import { startTracking, stopTracking } from './tracking.ts';

const { after, before, describe } = await import('node:test');
const { default: fc } = await import('fast-check');

const require = createRequire(import.meta.url);

const FLUSH_EVERY_MS = 20_000;
const LONG_MS = 2 ** 31 - 1;
const tracksAlways = process.argv.includes('--track');
const mayBeEmpty = process.argv.includes('--may-be-empty');

fc.configureGlobal({ seed: Number(process.env['SEED']) });

const askForFile = (): Promise<ToWorker['next']> =>
  new Promise((answer) => {
    process.once('message', ({ next }: ToWorker) => answer(next));
    process.send?.({ kind: 'ready' });
  });

/** Each file is a suite with its name, so that its hooks only apply to its own tests. */
const runFile = (path: string): Promise<void> =>
  new Promise((end) => {
    startTracking();
    describe(path, () => {
      before(() => tracksAlways || stopTracking());
      after(() => end());
      // At once: a suite that declares its tests later isn't matched by their names.
      require(resolve(path));
    });
  });

// A worker ends with its run.
process.on('disconnect', () => process.exit(1));
process.channel?.unref();

// Some tests wait only for what doesn't keep a process alive. But a file without a test to run never ends, so there the process may.
const keepAlive = setInterval(() => undefined, LONG_MS);
let flushAt = 0;
for (let file = await askForFile(); file !== null; file = await askForFile()) {
  process.env['PATCHBAY_TEST_ENGINES'] = file.engines;
  if (mayBeEmpty) keepAlive.unref();
  await runFile(file.path);
  keepAlive.ref();
  if (performance.now() < flushAt) continue;
  // For the processes that start before this one ends.
  flushCompileCache();
  flushAt = performance.now() + FLUSH_EVERY_MS;
}
// The process ends by itself once its reporter has told everything.
clearInterval(keepAlive);
