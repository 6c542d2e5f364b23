import { defineJob } from '../../jobs/index.ts';
import { Type } from '../../platform/index.ts';

export const PROCESS_EVERY_MS = 5_000;

/**
 * Processes deliveries that a process received but didn't get to, because it ended or had too much to do. A failed run
 * isn't retried: the next run does what is left.
 */
export const processDeliveries = defineJob({
  name: 'process-deliveries',
  payload: Type.Object({}),
  attempts: 1,
  runsWhilePaused: true,
});
