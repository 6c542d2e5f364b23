import { defineJob } from '../jobs/index.ts';
import { DatabaseUnavailable, Type } from '../platform/index.ts';
import { openPayload } from './delivery-payload.ts';
import { type DeliveryRow, listWaitingDeliveries, markDeliveryFailed, type WaitingPlace } from './delivery-store.ts';
import type { ProcessDependencies, Unread } from './process-batch.ts';
import { LEFT_AFTER_MS, type Processor } from './processor.ts';
import type { TelephonyProvider } from './provider.ts';

export const PROCESS_EVERY_MS = 5_000;
const WORK_MS = 45_000;

/** What is not done in one run waits for the next, so a failed run is not tried again. */
export const processDeliveries = defineJob({ name: 'process-deliveries', payload: Type.Object({}), attempts: 1 });

type Dependencies = ProcessDependencies & { providers: readonly TelephonyProvider[]; processor: Processor };

const readAgain = async ({ vault, providers }: Dependencies, row: DeliveryRow): Promise<Unread> => {
  const provider = providers.find(({ id }) => id === row.provider);
  if (!provider) throw new Error('The provider of a delivery is not known any more.');
  const { payload: _, ...kept } = row;
  return { row: kept, provider, delivery: await openPayload(vault, row) };
};

/** Reads what waits, newest first, so that each delivery is handed out once. */
const createReader = (dependencies: Dependencies) => {
  const { database, clock, log } = dependencies;
  const stopAt = performance.now() + WORK_MS;
  // Younger ones are being worked at by the process that received them.
  let place: WaitingPlace | null = { receivedAt: clock.now() - LEFT_AFTER_MS, id: '' };

  const readOrFail = async (row: DeliveryRow): Promise<Unread[]> => {
    try {
      return [await readAgain(dependencies, row)];
    } catch (err) {
      if (err instanceof DatabaseUnavailable) throw err;
      log.error({ err, delivery: row.id }, 'a delivery cannot be read');
      await markDeliveryFailed(database, row.teamId, row.id, { problem: 'unreadable', now: clock.now() });
      return [];
    }
  };

  const readPage = async (size: number): Promise<Unread[]> => {
    if (!place || performance.now() >= stopAt) return [];
    const rows = await listWaitingDeliveries(database, place, size);
    place = rows.at(-1) ?? null;
    const batch: Unread[] = [];
    for (const row of rows) batch.push(...(await readOrFail(row)));
    return rows.length > 0 && batch.length === 0 ? readPage(size) : batch;
  };

  let reading: Promise<unknown> = Promise.resolve();
  return {
    next(size: number): Promise<Unread[]> {
      const page = reading.then(() => readPage(size));
      reading = page.catch(() => undefined);
      return page;
    },
  };
};

/** Processes what a process has received and not got round to, because it ended or had too much to do. */
export const handleProcessDeliveries = (dependencies: Dependencies) => (): Promise<void> =>
  dependencies.processor.workOff(createReader(dependencies).next);
