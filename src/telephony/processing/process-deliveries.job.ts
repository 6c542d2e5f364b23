import { defineJob } from '../../jobs/index.ts';
import { Type } from '../../platform/index.ts';

export const PROCESS_EVERY_MS = 5_000;

/**
 * Processes what a process received but didn't get to, because it ended or had too much to do. What one run doesn't finish waits for the next, so a
 * failed run isn't retried.
 */
export const processDeliveries = defineJob({
  name: 'process-deliveries',
  payload: Type.Object({}),
  attempts: 1,
  runsWhilePaused: true,
});
