import type { Database, Transaction } from '../../src/platform/index.ts';
import { waitUntil } from './wait-until.ts';

/** The next transaction that adds a row to this table does its work, and isn't committed until it's released. */
const holdTransaction = (database: Database, table: string) => {
  const { transaction } = database;
  const [worked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const watched: typeof transaction = (work) =>
    transaction(async (tx) => {
      let isMeant = false;
      const run: Transaction['run'] = (text, values) => {
        isMeant ||= text.startsWith(`insert into ${table} `);
        return tx.run(text, values);
      };
      const result = await work({ ...tx, run });
      if (!isMeant) return result;
      Object.assign(database, { transaction });
      worked.resolve();
      await released.promise;
      return result;
    });
  Object.assign(database, { transaction: watched });
  return { worked: worked.promise, release: released.resolve };
};

const WAITING = "select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";

/**
 * Both add a row to a table at the same moment: the second comes when the first has added its row, and can't see it
 * unless it waits for the first. On SQLite it does in any case, because there is only one writer at a time.
 */
export const runTogether = async <Result>(
  database: Database,
  table: string,
  [first, second]: readonly [() => Promise<Result>, () => Promise<Result>],
): Promise<[Result, Result]> => {
  const held = holdTransaction(database, table);
  const one = first();
  await Promise.race([held.worked, one.then(() => Promise.reject(new Error(`Nothing was added to ${table}.`)))]);
  let hasEnded = false;
  const other = second().finally(() => {
    hasEnded = true;
  });
  try {
    if (database.engine === 'postgresql')
      await waitUntil('the second waits', async () => hasEnded || (await database.all(WAITING)).length > 0);
  } finally {
    held.release();
  }
  return Promise.all([one, other]);
};
