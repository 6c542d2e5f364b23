import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

/** Beyond this the log is begun anew, for which writers wait a moment: 32 MB. */
const LONG_LOG_PAGES = 8_000;
const QUICK_MS = 15;
const MOST_ROUNDS = 5;
/** Readers that hold on to the log are not waited for: the next time will do. */
const PATIENCE_MS = 50;

const connection = new DatabaseSync(String(workerData), { timeout: PATIENCE_MS });

const checkpoint = (mode: 'passive' | 'restart'): number => {
  const row = connection.prepare(`pragma wal_checkpoint(${mode})`).get();
  return Number(row?.['log'] ?? 0);
};

/**
 * First what keeps nobody waiting, over and over: each time there is only what was added during the time before, until it
 * is so little that beginning anew is quick.
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
