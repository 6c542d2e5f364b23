import type { TelephonyContext } from '../context.ts';
import { type DeliveryRow, listWaitingDeliveries, type WaitingPlace } from './delivery-store.ts';

/**
 * How long a delivery is left to the process that received it. After that, any process may take it from the database.
 */
export const LEFT_AFTER_MS = 5_000;

/** Position where reading starts, newest first. Newer deliveries are still left to the process that received them. */
export const newestPlace = ({ clock }: Pick<TelephonyContext, 'clock'>): WaitingPlace => ({
  receivedAt: clock.now() - LEFT_AFTER_MS,
  id: '',
});

export const doAsManyWait = async (
  context: Pick<TelephonyContext, 'database' | 'clock'>,
  count: number,
): Promise<boolean> => (await listWaitingDeliveries(context.database, newestPlace(context), count)).length >= count;

/** Reads waiting deliveries, newest first, for `workMs` at most. Returns each delivery once. */
export const createWaitingReader = (context: Pick<TelephonyContext, 'database' | 'clock'>, workMs: number) => {
  const stopAt = performance.now() + workMs;
  let place: WaitingPlace | null = newestPlace(context);

  const readPage = async (size: number): Promise<DeliveryRow[]> => {
    if (!place || performance.now() >= stopAt) return [];
    const rows = await listWaitingDeliveries(context.database, place, size);
    place = rows.at(-1) ?? null;
    return rows;
  };

  let reading: Promise<unknown> = Promise.resolve();
  return {
    next(size: number): Promise<DeliveryRow[]> {
      const page = reading.then(() => readPage(size));
      reading = page.catch(() => undefined);
      return page;
    },
  };
};
