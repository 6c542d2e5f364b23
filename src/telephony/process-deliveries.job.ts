import { Type } from 'typebox';
import { defineJob } from '../jobs/index.ts';
import { DatabaseUnavailable } from '../platform/index.ts';
import { openPayload } from './delivery-payload.ts';
import { type DeliveryRow, listWaitingDeliveries, markDeliveryFailed } from './delivery-store.ts';
import { type ProcessDependencies, processBatch, type Unread } from './process-deliveries.ts';
import type { TelephonyProvider } from './provider.ts';

export const PROCESS_EVERY_MS = 5_000;
/** Younger ones are being worked at by the process that received them. */
const LEFT_AFTER_MS = 5_000;
const PAGE = 100;
const WORK_MS = 45_000;

/** What is not done in one run waits for the next, so a failed run is not tried again. */
export const processDeliveries = defineJob({ name: 'process-deliveries', payload: Type.Object({}), attempts: 1 });

type Dependencies = ProcessDependencies & { providers: readonly TelephonyProvider[] };

const readAgain = async ({ vault, providers }: Dependencies, row: DeliveryRow): Promise<Unread> => {
  const provider = providers.find(({ id }) => id === row.provider);
  if (!provider) throw new Error('The provider of a delivery is not known any more.');
  return { row, provider, delivery: await openPayload(vault, row) };
};

/** Processes what a process has received and not got round to, because it ended or had too much to do. */
export const handleProcessDeliveries = (dependencies: Dependencies) => async (): Promise<void> => {
  const { database, clock, log } = dependencies;
  const stopAt = performance.now() + WORK_MS;
  for (;;) {
    const rows = await listWaitingDeliveries(database, clock.now() - LEFT_AFTER_MS, PAGE);
    const batch: Unread[] = [];
    for (const row of rows) {
      try {
        batch.push(await readAgain(dependencies, row));
      } catch (err) {
        if (err instanceof DatabaseUnavailable) throw err;
        log.error({ err, delivery: row.id }, 'a delivery cannot be read');
        await markDeliveryFailed(database, row.teamId, row.id, { problem: 'unreadable', now: clock.now() });
      }
    }
    await processBatch(dependencies, batch);
    if (rows.length < PAGE || performance.now() >= stopAt) return;
  }
};
