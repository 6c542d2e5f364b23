import { Worker } from 'node:worker_threads';

const SCRIPT = new URL('./sqlite-checkpointer.thread.ts', import.meta.url);
const LEAST_COMMITS = 20;
const REST_MS = 500;
const MEMORY = { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 16, codeRangeSizeMb: 8, stackSizeMb: 1 };

/**
 * Copies the write-ahead log into the database file, in a separate thread. It writes thousands of pages and waits for the
 * disk, which takes from ten milliseconds to seconds, and SQLite would do it inside somebody's commit. The thread starts
 * once there is enough to copy.
 */
export const createSqliteCheckpointer = (path: string) => {
  let commits = 0;
  let restUntil = 0;
  let thread: Worker | undefined;
  let busy = false;

  const rest = (): void => {
    busy = false;
    restUntil = performance.now() + REST_MS;
  };

  const start = (): Worker => {
    const started = new Worker(SCRIPT, { workerData: path, resourceLimits: MEMORY, execArgv: [], env: {} });
    started.on('message', rest);
    // For example, a full disk. The next commits start another thread. Until then, SQLite copies a long log itself.
    started.on('error', () => undefined);
    started.on('exit', () => {
      if (thread === started) thread = undefined;
      rest();
    });
    started.unref();
    return started;
  };

  return {
    noteCommit(): void {
      if (++commits < LEAST_COMMITS || busy || performance.now() < restUntil) return;
      commits = 0;
      busy = true;
      thread ??= start();
      thread.postMessage('carry over');
    },
    close: async (): Promise<void> => void (await thread?.terminate()),
  };
};
