import { defineJob } from '../../jobs/index.ts';
import { Type } from '../../platform/index.ts';

const HOUR_MS = 3_600_000;

/**
 * Makes a backup in a separate process. If all attempts fail, the operator is alerted, and the next backup is made when
 * it's due.
 */
export const makeBackupJob = defineJob({
  name: 'make-backup',
  payload: Type.Object({}),
  attempts: 3,
  firstRetryMs: 60_000,
  mostRetryMs: 10 * 60_000,
  concurrency: 1,
  timeoutMs: 12 * HOUR_MS,
});

export const CHECK_EVERY_MS = HOUR_MS;

/** Alerts the operator if no backup was completed for too long, whatever the reason. */
export const checkBackupsJob = defineJob({ name: 'check-backups', payload: Type.Object({}), attempts: 1 });
