import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

/** Beyond this (32 MB) the log is restarted, and writers wait a moment. */
const LONG_LOG_PAGES = 8_000;
const QUICK_MS = 15;
const MOST_ROUNDS = 5;
/** If readers hold on to the log for longer, it's left for the next time. */
const PATIENCE_MS = 50;

const connection = new DatabaseSync(String(workerData), { timeout: PATIENCE_MS });

const checkpoint = (mode: 'passive' | 'restart'): number => {
  const row = connection.prepare(`pragma wal_checkpoint(${mode})`).get();
  return Number(row?.['log'] ?? 0);
};

/**
 * Copies passively first, which blocks nobody. Each round only has what was added during the one before, until there is so
 * little left that a restart is quick.
 */
const carryOver = (): void => {
  let pages = 0;
  for (let rounds = 0; rounds < MOST_ROUNDS; rounds++) {
    const begun = performance.now();
    pages = checkpoint('passive');
    if (performance.now() - begun < QUICK_MS) break;
  }
  if (pages > LONG_LOG_PAGES) checkpoint('restart');
};

parentPort?.on('message', () => {
  try {
    carryOver();
  } finally {
    parentPort?.postMessage('done');
  }
});
