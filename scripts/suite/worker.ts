// A process of a run. It runs one test file after the other, as the run tells it to.
import { createRequire, flushCompileCache } from 'node:module';
import { resolve } from 'node:path';
import type { ToWorker } from './messages.ts';
// `tracking.ts` must be loaded before `node:test`.
import { startTracking, stopTracking } from './tracking.ts';

const { after, before, describe } = await import('node:test');
const { default: fc } = await import('fast-check');

const require = createRequire(import.meta.url);

const FLUSH_EVERY_MS = 20_000;
const LONG_MS = 2 ** 31 - 1;
/** How long after the last file to list what is still open. Ending usually takes much less. */
const STUCK_AFTER_MS = 30_000;
const tracksAlways = process.argv.includes('--track');
const mayBeEmpty = process.argv.includes('--may-be-empty');

fc.configureGlobal({ seed: Number(process.env['SEED']) });

const askForFile = (): Promise<ToWorker['next']> =>
  new Promise((answer) => {
    process.once('message', ({ next }: ToWorker) => answer(next));
    process.send?.({ kind: 'ready' });
  });

type Handle = { constructor: { name: string }; remotePort?: number; localPort?: number; spawnargs?: string[] };

/** Names what keeps the process alive. Node can list the handles, but declares no type for that. */
const nameOpen = (): string[] => {
  const { _getActiveHandles: listHandles } = process as unknown as { _getActiveHandles(): Handle[] };
  const handles = listHandles.call(process).map((handle) => {
    const { localPort, remotePort, spawnargs } = handle;
    const ports = [localPort, remotePort].filter((port) => port !== undefined).join('→');
    return [handle.constructor.name, ports, spawnargs?.slice(0, 3).join(' ')].filter(Boolean).join(' ');
  });
  return [...process.getActiveResourcesInfo(), ...handles];
};

/** Runs a file as a suite with the file's name, so that its hooks only apply to its own tests. */
const runFile = (path: string): Promise<void> =>
  new Promise((end) => {
    startTracking();
    describe(path, () => {
      before(() => tracksAlways || stopTracking());
      after(() => end());
      // Load the file synchronously, because Node doesn't match tests by name if their suite declares them later.
      require(resolve(path));
    });
  });

// A worker ends with its run.
process.on('disconnect', () => process.exit(1));
process.channel?.unref();

// Keep the process alive, because some tests wait only for things that don't keep it alive. If a file may have no test
// to run (`mayBeEmpty`), let the process end, because `runFile` then never resolves.
const keepAlive = setInterval(() => undefined, LONG_MS);
let flushAt = 0;
for (let file = await askForFile(); file !== null; file = await askForFile()) {
  process.env['PATCHBAY_TEST_ENGINES'] = file.engines;
  if (mayBeEmpty) keepAlive.unref();
  await runFile(file.path);
  keepAlive.ref();
  if (performance.now() < flushAt) continue;
  // Write the cache now, for processes that start before this one ends.
  flushCompileCache();
  flushAt = performance.now() + FLUSH_EVERY_MS;
}
// The process ends by itself once its reporter has sent everything.
clearInterval(keepAlive);
setTimeout(() => process.stderr.write(`Open: ${nameOpen().join(', ')}\n`), STUCK_AFTER_MS).unref();
