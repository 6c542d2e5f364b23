import { DatabaseUnavailable } from '../database/database.ts';
import { createOutage } from '../database/outage.ts';
import type { Log } from '../log.ts';
import type { Journal, StoreRows } from './journal.ts';
import { withinPatience } from './within-patience.ts';

/** After the database was unavailable, it isn't tried again for this long. */
const PAUSE_MS = 1_000;
const INGEST_EVERY_MS = 2_000;

type KeeperContext<Row, Stored> = {
  log: Log;
  /** Stores a row in the database. */
  store(row: Row): Promise<Stored>;
  /** Stores rows from the journal. Throws if the database is unavailable. */
  storeAll: StoreRows<Row>;
  /** What names a row in the log. Nothing secret. */
  describe(row: Row): Readonly<Record<string, string>>;
};

/** Stores rows in the database, or while it's unavailable, in the journal, which is read back later. */
export const createKeeper = <Row, Stored>(
  { log, store, storeAll, describe }: KeeperContext<Row, Stored>,
  journal: Journal<Row>,
) => {
  const outage = createOutage(PAUSE_MS);
  let journaled = true;

  const writeDown = async (row: Row): Promise<'journaled' | 'lost'> => {
    try {
      await journal.append(row);
      journaled = true;
      return 'journaled';
    } catch (err) {
      log.error({ err, ...describe(row) }, 'a delivery could not be kept: database and journal are unavailable');
      return 'lost';
    }
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
    /**
     * Keeps a row. If storing it takes too long, it goes to the journal. A late insert must do no harm: storing the row
     * again from the journal changes nothing.
     */
    async keep(row: Row): Promise<Stored | 'journaled' | 'lost'> {
      if (outage.isOn()) return writeDown(row);
      try {
        return await withinPatience(store(row));
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

export type Keeper<Row, Stored> = ReturnType<typeof createKeeper<Row, Stored>>;
