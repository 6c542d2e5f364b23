// One process of `npm test`: runs one test file after the other, each time the next that no other process has taken.
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
// Must be loaded before `node:test`.
import { startTracking, stopTracking } from './tracking.ts';

const { after, before, describe } = await import('node:test');

const FLUSH_EVERY_MS = 20_000;

const claim = (folder: string, file: string): boolean => {
  try {
    closeSync(openSync(join(folder, encodeURIComponent(file)), 'wx'));
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
};

/** Each file is a suite with its name, so that its hooks only apply to its own tests. */
const runFile = (file: string): Promise<void> =>
  new Promise((end) => {
    startTracking();
    describe(file, async () => {
      before(stopTracking);
      after(() => end());
      await import(pathToFileURL(resolve(file)).href);
    });
  });

/** Files are claimed in `folder`. Takes no further file after `forMs`, so that no process grows too large. */
export const claimFiles = async (folder: string, files: readonly string[], forMs: number): Promise<void> => {
  mkdirSync(folder, { recursive: true });
  const until = performance.now() + forMs;
  let flushAt = 0;
  for (const file of files) {
    if (performance.now() > until) return;
    if (!claim(folder, file)) continue;
    await runFile(file);
    if (performance.now() < flushAt) continue;
    // For the processes that start before this one ends.
    flushCompileCache();
    flushAt = performance.now() + FLUSH_EVERY_MS;
  }
};
