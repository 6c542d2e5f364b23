import { type Clock, createGroupWriter, type Database, DatabaseUnavailable, type Log } from '../platform/index.ts';
import { DELIVERIES, type DeliveryRow, deliveryValues } from './delivery-store.ts';
import type { Journal } from './journal.ts';

/** `repeated`: it was there already. `journaled`: the database is away. `lost`: neither could be written. */
export type Kept = 'stored' | 'repeated' | 'journaled' | 'lost';

/** A caller waits on the line meanwhile. What comes in later after all has the same id, and is not stored twice. */
const PATIENCE_MS = 2_000;
/** After a failure the database is left alone for this long. */
const PAUSE_MS = 1_000;
const INGEST_EVERY_MS = 2_000;

type Dependencies = { database: Database; clock: Clock; log: Log; journal: Journal };

const withinPatience = <Result>(work: Promise<Result>): Promise<Result> =>
  new Promise((resolve, reject) => {
    const late = () => reject(new DatabaseUnavailable('The database did not answer in time.'));
    const timer = setTimeout(late, PATIENCE_MS).unref();
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });

/** Keeps deliveries: in the database, else in the journal, which is read back as soon as the database answers again. */
export const createKeeper = ({ database, clock, log, journal }: Dependencies) => {
  const writer = createGroupWriter(database);
  let awayUntil = 0;
  let journaled = true;

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
      log.error(
        { err, delivery: row.id, route: row.route },
        'a delivery could not be kept: database and journal are away',
      );
      return 'lost';
    }
  };

  const ingest = async (): Promise<void> => {
    if (!journaled || clock.now() < awayUntil) return;
    journaled = false;
    try {
      const count = await journal.ingest(async (rows) => {
        for (const row of rows) await writer.insert(DELIVERIES, deliveryValues(row));
      });
      if (count > 0) log.info({ count }, 'deliveries of the journal are in the database');
    } catch (err) {
      journaled = true;
      log.warn({ err }, 'the journal could not be read back yet');
    }
  };

  let ingesting = Promise.resolve();
  const timer = setInterval(() => {
    ingesting = ingesting.then(ingest);
  }, INGEST_EVERY_MS).unref();

  return {
    async keep(row: DeliveryRow): Promise<Kept> {
      if (clock.now() < awayUntil) return writeDown(row);
      try {
        return await store(row);
      } catch (err) {
        // A row that the database refuses for itself is no outage, but it is kept all the same.
        if (err instanceof DatabaseUnavailable) awayUntil = clock.now() + PAUSE_MS;
        log.warn({ err }, 'a delivery goes to the journal, because it could not be stored');
        return writeDown(row);
      }
    },
    /** Now, instead of within two seconds. */
    ingest: async (): Promise<void> => {
      journaled = true;
      ingesting = ingesting.then(ingest);
      await ingesting;
    },
    async close(): Promise<void> {
      clearInterval(timer);
      await ingesting;
      await journal.close();
    },
  };
};

export type Keeper = ReturnType<typeof createKeeper>;
