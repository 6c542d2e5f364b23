import type { Database, Value } from '../../src/platform/index.ts';

/** The next transaction does its work, and isn't committed until it's released. */
export const holdTransaction = (database: Database) => {
  const { transaction } = database;
  const [worked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const hold: typeof transaction = (work) => {
    Object.assign(database, { transaction });
    return transaction(async (tx) => {
      const result = await work(tx);
      worked.resolve();
      await released.promise;
      return result;
    });
  };
  Object.assign(database, { transaction: hold });
  return { worked: worked.promise, release: released.resolve };
};

/** The next query that contains these words is answered, and nobody gets its answer until it's released. */
export const holdAnswer = (database: Database, method: 'get' | 'all' | 'allFrom' | 'scan', words: string) => {
  const ask = database[method] as (...statement: unknown[]) => Promise<unknown>;
  const [answered, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const hold: typeof ask = async (...statement) => {
    if (!statement.some((part) => String(part).includes(words))) return ask(...statement);
    Object.assign(database, { [method]: ask });
    const answer = await ask(...statement);
    answered.resolve();
    await released.promise;
    return answer;
  };
  Object.assign(database, { [method]: hold });
  return { answered: answered.promise, release: released.resolve };
};

/** Only on PostgreSQL: holds what this query locks until it's released. */
export const holdLock = async (database: Database, query: string, values: readonly Value[] = []) => {
  const [locked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const held = database.transaction(async (tx) => {
    await tx.all(query, [...values]);
    locked.resolve();
    await released.promise;
  });
  await Promise.race([locked.promise, held]);
  return {
    release(): Promise<void> {
      released.resolve();
      return held;
    },
  };
};

const WAITING = "select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";

/** Only on PostgreSQL: how many queries wait for a lock. */
export const countWaiting = async (database: Database): Promise<number> => (await database.all(WAITING)).length;

/** Only on PostgreSQL: whether a query waits for a lock. */
export const isOneWaiting = async (database: Database): Promise<boolean> => (await countWaiting(database)) > 0;
