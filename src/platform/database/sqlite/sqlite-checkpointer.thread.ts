import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

/** Beyond this length (about 32 MB), the log is restarted, for which writers wait a moment. */
const LONG_LOG_PAGES = 8_000;
const QUICK_MS = 15;
const MOST_ROUNDS = 5;
/** How long a restart waits for readers of the log. After that, it's left to the next checkpoint. */
const PATIENCE_MS = 50;

const connection = new DatabaseSync(String(workerData), { timeout: PATIENCE_MS });

const checkpoint = (mode: 'passive' | 'restart'): { pages: number; isBlocked: boolean } => {
  const row = connection.prepare(`pragma wal_checkpoint(${mode})`).get();
  return { pages: Number(row?.['log'] ?? 0), isBlocked: row?.['busy'] === 1 };
};

/**
 * Copies passively first, which blocks nobody. Each round only copies what was written during the previous one, until
 * so little is left that a restart of the log is quick. Returns true if a restart was due, but a reader blocked it.
 */
const carryOver = (): boolean => {
  let pages = 0;
  for (let rounds = 0; rounds < MOST_ROUNDS; rounds++) {
    const begun = performance.now();
    pages = checkpoint('passive').pages;
    if (performance.now() - begun < QUICK_MS) break;
  }
  return pages > LONG_LOG_PAGES && checkpoint('restart').isBlocked;
};

parentPort?.on('message', () => {
  let isBlocked = false;
  try {
    isBlocked = carryOver();
  } finally {
    parentPort?.postMessage({ isBlocked });
  }
});
