import type { Database, Queries } from '../../src/platform/index.ts';
import { isOneWaiting } from './hold-database.ts';
import { waitUntil } from './wait-until.ts';

/** The next transaction that writes to this table does its work, and isn't committed until it's released. */
const holdTransaction = (database: Database, table: string) => {
  const { transaction } = database;
  const [worked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const writes = new RegExp(`^(insert into|update|delete from) ${table} `);
  const watched: typeof transaction = (work) =>
    transaction(async (tx) => {
      let isMeant = false;
      const watch =
        <Name extends keyof Queries>(name: Name): Queries[Name] =>
        (...statement: never[]) => {
          isMeant ||= statement.some((part) => typeof part === 'string' && writes.test(part));
          return (tx[name] as (...values: never[]) => never)(...statement);
        };
      const queries = { get: watch('get'), all: watch('all'), run: watch('run') };
      const result = await work({ ...tx, ...queries, allFrom: watch('allFrom'), runFrom: watch('runFrom') });
      if (!isMeant) return result;
      Object.assign(database, { transaction });
      worked.resolve();
      await released.promise;
      return result;
    });
  Object.assign(database, { transaction: watched });
  return { worked: worked.promise, release: released.resolve };
};

/**
 * Both come at the same moment: the second comes when the first has written to a table, and can't see what it wrote
 * unless it waits for the first. On SQLite it does in any case, because there is only one writer at a time.
 */
export const runTogether = async <First, Second>(
  database: Database,
  table: string,
  [first, second]: readonly [() => Promise<First>, () => Promise<Second>],
): Promise<[First, Second]> => {
  const held = holdTransaction(database, table);
  const one = first();
  await Promise.race([held.worked, one.then(() => Promise.reject(new Error(`Nothing was written to ${table}.`)))]);
  let hasEnded = false;
  const other = second().finally(() => {
    hasEnded = true;
  });
  try {
    if (database.engine === 'postgresql')
      await waitUntil('the second waits', async () => hasEnded || isOneWaiting(database));
  } finally {
    held.release();
  }
  return Promise.all([one, other]);
};
