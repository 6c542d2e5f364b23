import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

/** Beyond this (32 MB) the log is restarted, and writers wait a moment. */
const LONG_LOG_PAGES = 8_000;
const QUICK_MS = 15;
const MOST_ROUNDS = 5;
/** If readers hold on to the log for longer, it's left for the next time. */
const PATIENCE_MS = 50;

const connection = new DatabaseSync(String(workerData), { timeout: PATIENCE_MS });

const checkpoint = (mode: 'passive' | 'restart'): { pages: number; isBlocked: boolean } => {
  const row = connection.prepare(`pragma wal_checkpoint(${mode})`).get();
  return { pages: Number(row?.['log'] ?? 0), isBlocked: row?.['busy'] === 1 };
};

/**
 * Copies passively first, which blocks nobody. Each round only has what was added during the one before, until there is so
 * little left that a restart is quick. Returns whether that was due and somebody was in the way.
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
