import {
  createGroupWriter,
  createJournal,
  createKeeper,
  DatabaseUnavailable,
  type Journal,
  type Keeper,
  type StoreRows,
} from '../../platform/index.ts';
import { createLineSeal } from '../../vault/index.ts';
import { listStillThere } from '../accounts/account-store.ts';
import type { TelephonyContext } from '../context.ts';
import { DELIVERIES, type DeliveryRow, deliveryValues } from '../processing/delivery-store.ts';

const PURPOSE = 'telephony journal';

/** Creates the journal that keeps deliveries while the database is unavailable. */
export const createDeliveryJournal = (
  { vault, log }: Pick<TelephonyContext, 'vault' | 'log'>,
  directory: string,
): Journal<DeliveryRow> => {
  return createJournal<DeliveryRow>(createLineSeal(vault, PURPOSE), log, directory);
};

/** Creates the keeper of deliveries. A delivery that is stored twice has the same ID, so it's stored only once. */
export const createDeliveryKeeper = (
  { database, log }: Pick<TelephonyContext, 'database' | 'log'>,
  journal: Journal<DeliveryRow>,
): DeliveryKeeper => {
  const writer = createGroupWriter(database);

  /** Leaves out deliveries of accounts that no longer exist because their team was erased. */
  const findWanted = async (rows: readonly DeliveryRow[]): Promise<DeliveryRow[]> => {
    const there = new Set(await listStillThere(database, [...new Set(rows.map(({ accountId }) => accountId))]));
    return rows.filter(({ accountId }) => there.has(accountId));
  };

  const storeAll: StoreRows<DeliveryRow> = async (rows) => {
    const outcomes = await database.insertRows(DELIVERIES, (await findWanted(rows)).map(deliveryValues));
    const refused = outcomes.filter((outcome) => outcome instanceof Error);
    const away = refused.find((error) => error instanceof DatabaseUnavailable);
    if (away) throw away;
    if (refused.length === 0) return undefined;
    log.error({ err: refused[0], count: refused.length }, 'the database refused deliveries from the journal');
    return 'some_refused';
  };

  const store = async (row: DeliveryRow): Promise<'stored' | 'repeated'> => {
    const outcome = await writer.insert(DELIVERIES, deliveryValues(row));
    return outcome === 'inserted' ? 'stored' : 'repeated';
  };

  return createKeeper({ log, store, storeAll, describe: ({ id, route }) => ({ delivery: id, route }) }, journal);
};

export type DeliveryKeeper = Keeper<DeliveryRow, 'stored' | 'repeated'>;
