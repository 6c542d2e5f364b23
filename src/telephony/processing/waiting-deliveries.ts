import type { TelephonyContext } from '../context.ts';
import { type DeliveryRow, listWaitingDeliveries, type WaitingPlace } from './delivery-store.ts';

/** After this long, a delivery is left to whichever process finds it in the database. */
export const LEFT_AFTER_MS = 5_000;

/** Younger ones are still being processed where they were received. */
export const newestPlace = ({ clock }: Pick<TelephonyContext, 'clock'>): WaitingPlace => ({
  receivedAt: clock.now() - LEFT_AFTER_MS,
  id: '',
});

export const doAsManyWait = async (
  context: Pick<TelephonyContext, 'database' | 'clock'>,
  count: number,
): Promise<boolean> => (await listWaitingDeliveries(context.database, newestPlace(context), count)).length >= count;

/** Reads what is waiting, newest first and for `workMs` at most, handing out each delivery once. */
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
