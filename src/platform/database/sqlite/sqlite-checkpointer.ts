import { Worker } from 'node:worker_threads';
import { pointToCompiledCode } from '../../running/compile-cache.ts';
import { within } from '../../running/within.ts';

const SCRIPT = new URL('./sqlite-checkpointer.thread.ts', import.meta.url);
const LEAST_COMMITS = 20;
const REST_MS = 500;
/** How long a restart of the log waits for the reads in progress to end. */
const READS_END_MS = 1_000;
const MEMORY = { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 16, codeRangeSizeMb: 8, stackSizeMb: 1 };

/**
 * Copies the write-ahead log into the database file, in a separate thread. That takes from ten milliseconds to seconds,
 * because it waits for the disk. Without the thread, SQLite would do it inside a commit. A long log can only be
 * restarted while nobody reads from it. If long reads keep it from being restarted, they are paused for the next
 * attempt.
 */
export const createSqliteCheckpointer = (path: string, reads: { pause(): Promise<void>; resume(): void }) => {
  let commits = 0;
  let restUntil = 0;
  let thread: Worker | undefined;
  let busy = false;
  let isBlocked = false;

  const rest = (): void => {
    busy = false;
    reads.resume();
    restUntil = performance.now() + REST_MS;
  };

  const start = (): Worker => {
    const env = pointToCompiledCode();
    const started = new Worker(SCRIPT, { workerData: path, resourceLimits: MEMORY, execArgv: [], env });
    started.on('message', (done: { isBlocked: boolean }) => {
      isBlocked = done.isBlocked;
      rest();
    });
    // The thread can fail, for example because the disk is full. The next commits start another thread. Until then,
    // SQLite copies a long log itself.
    started.on('error', () => undefined);
    started.on('exit', () => {
      if (thread === started) thread = undefined;
      isBlocked = false;
      rest();
    });
    started.unref();
    return started;
  };

  const carryOver = async (): Promise<void> => {
    if (isBlocked) await within(READS_END_MS, reads.pause());
    thread ??= start();
    thread.postMessage('carry over');
  };

  return {
    noteCommit(): void {
      if (++commits < LEAST_COMMITS || busy || performance.now() < restUntil) return;
      commits = 0;
      busy = true;
      carryOver().catch(rest);
    },
    close: async (): Promise<void> => void (await thread?.terminate()),
  };
};
