import { defineJob } from '../../jobs/index.ts';
import { Type } from '../../platform/index.ts';
import type { Processing } from './processing.ts';

export const PROCESS_EVERY_MS = 5_000;

/** What is not done in one run waits for the next, so a failed run is not tried again. */
export const processDeliveries = defineJob({ name: 'process-deliveries', payload: Type.Object({}), attempts: 1 });

/** Processes what a process has received and not got round to, because it ended or had too much to do. */
export const handleProcessDeliveries =
  ({ processing }: { processing: Processing }) =>
  (): Promise<void> =>
    processing.workOff();
