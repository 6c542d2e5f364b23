import { createGroupWriter, createOutage, DatabaseUnavailable } from '../../platform/index.ts';
import { listStillThere } from '../accounts/account-store.ts';
import type { TelephonyContext } from '../context.ts';
import type { Kept } from '../contract/delivery.ts';
import { DELIVERIES, type DeliveryRow, deliveryValues } from '../processing/delivery-store.ts';
import type { Journal, StoreRows } from './journal.ts';
import { withinPatience } from './within-patience.ts';

/** After the database was unavailable, it isn't tried again for this long. */
const PAUSE_MS = 1_000;
const INGEST_EVERY_MS = 2_000;

/** Stores deliveries in the database, or while it's unavailable, in the journal, which is read back later. */
export const createKeeper = ({ database, log }: Pick<TelephonyContext, 'database' | 'log'>, journal: Journal) => {
  const writer = createGroupWriter(database);
  const outage = createOutage(PAUSE_MS);
  let journaled = true;

  /**
   * Stores a delivery. If this takes too long, the delivery goes to the journal. A late insert does no harm: the row
   * from the journal has the same id, so it's stored only once.
   */
  const store = async (row: DeliveryRow): Promise<Kept> => {
    const outcome = await withinPatience(writer.insert(DELIVERIES, deliveryValues(row)));
    return outcome === 'inserted' ? 'stored' : 'repeated';
  };

  const writeDown = async (row: DeliveryRow): Promise<Kept> => {
    try {
      await journal.append(row);
      journaled = true;
      return 'journaled';
    } catch (err) {
      const { id, route } = row;
      log.error({ err, delivery: id, route }, 'a delivery could not be kept: database and journal are unavailable');
      return 'lost';
    }
  };

  /** Leaves out deliveries of accounts that no longer exist because their team was erased. */
  const findWanted = async (rows: readonly DeliveryRow[]): Promise<DeliveryRow[]> => {
    const there = new Set(await listStillThere(database, [...new Set(rows.map(({ accountId }) => accountId))]));
    return rows.filter(({ accountId }) => there.has(accountId));
  };

  const storeAll: StoreRows = async (rows) => {
    const outcomes = await database.insertRows(DELIVERIES, (await findWanted(rows)).map(deliveryValues));
    const refused = outcomes.filter((outcome) => outcome instanceof Error);
    const away = refused.find((error) => error instanceof DatabaseUnavailable);
    if (away) throw away;
    if (refused.length === 0) return undefined;
    log.error({ err: refused[0], count: refused.length }, 'the database refused deliveries from the journal');
    return 'some_refused';
  };

  const ingest = async (): Promise<void> => {
    if (!journaled || outage.isOn()) return;
    journaled = false;
    try {
      const count = await journal.ingest(storeAll);
      if (count > 0) log.info({ count }, 'moved deliveries from the journal to the database');
    } catch (err) {
      journaled = true;
      log.warn({ err }, 'the journal could not be read back yet');
    }
  };

  let ingesting = Promise.resolve();
  const ingestSoon = (): Promise<void> => {
    ingesting = ingesting.then(ingest);
    return ingesting;
  };
  let timer: NodeJS.Timeout | undefined;

  return {
    async keep(row: DeliveryRow): Promise<Kept> {
      if (outage.isOn()) return writeDown(row);
      try {
        return await store(row);
      } catch (err) {
        // A row that the database refuses isn't an outage, but it goes to the journal all the same.
        if (err instanceof DatabaseUnavailable) outage.begin();
        log.warn({ err }, 'a delivery could not be stored and goes to the journal');
        return writeDown(row);
      }
    },
    /** Starts reading the journal back, including an earlier process's files. Only the serving process calls it. */
    async start(): Promise<void> {
      await journal.adopt().catch((err) => log.error({ err }, 'what an earlier process left could not be listed'));
      timer = setInterval(() => void ingestSoon(), INGEST_EVERY_MS).unref();
    },
    /** Reads the journal back now, instead of within two seconds. */
    async ingest(): Promise<void> {
      journaled = true;
      await ingestSoon();
    },
    async close(): Promise<void> {
      clearInterval(timer);
      await ingesting;
      await journal.close().catch((err) => log.error({ err }, 'the journal could not be closed'));
    },
  };
};

export type Keeper = ReturnType<typeof createKeeper>;
