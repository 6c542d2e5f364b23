import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

/** Beyond this the log is begun anew, for which writers wait a moment: 64 MB. */
const LONG_LOG_PAGES = 16_000;
/** Readers that hold on to the log are not waited for: the next time will do. */
const PATIENCE_MS = 50;

const connection = new DatabaseSync(String(workerData), { timeout: PATIENCE_MS });

const checkpoint = (mode: 'passive' | 'restart'): number => {
  const row = connection.prepare(`pragma wal_checkpoint(${mode})`).get();
  return Number(row?.['log'] ?? 0);
};

/** First what keeps nobody waiting. What has been added meanwhile is little, so that beginning anew is quick. */
const carryOver = (): void => {
  if (checkpoint('passive') > LONG_LOG_PAGES) checkpoint('restart');
};

parentPort?.on('message', () => {
  try {
    carryOver();
  } finally {
    parentPort?.postMessage('done');
  }
});
