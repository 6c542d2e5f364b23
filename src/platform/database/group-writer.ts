import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Database, DatabaseUnavailable, type InsertRow, type InsertTarget } from './database.ts';

type Waiting = {
  into: InsertTarget;
  row: InsertRow;
  resolve(outcome: 'inserted' | 'skipped'): void;
  reject(error: Error): void;
};

const MOST_PER_COMMIT = 500;
const GATHER_MS = 3;
const MOST_WAITING = 20_000;

const toError = (error: unknown): Error => (error instanceof Error ? error : new Error('The write failed.'));

/**
 * Group commit for frequent inserts. A lone write commits in the next turn of the event loop. While a commit is in
 * progress, new writes wait and then share the next commit. There is no timer: under load, the group grows by itself.
 *
 * Guarantees: a promise resolves only after COMMIT; a row that the database refuses rejects alone; if the database goes
 * away, every write that was not committed rejects.
 */
export const createGroupWriter = (database: Pick<Database, 'insertRows'>) => {
  let waiting: Waiting[] = [];
  let committing = false;

  /** Takes writes to the same table from the front of the queue, so that writes commit in the order of arrival. */
  const takeGroup = (): Waiting[] => {
    const into = waiting[0]?.into;
    const end = waiting.findIndex((write, index) => write.into !== into || index === MOST_PER_COMMIT);
    const group = end === -1 ? waiting : waiting.slice(0, end);
    waiting = end === -1 ? [] : waiting.slice(end);
    return group;
  };

  const commit = async (group: readonly Waiting[], into: InsertTarget): Promise<void> => {
    try {
      const outcomes = await database.insertRows(
        into,
        group.map(({ row }) => row),
      );
      group.forEach(({ resolve, reject }, index) => {
        const outcome = outcomes[index];
        if (outcome === 'inserted' || outcome === 'skipped') resolve(outcome);
        else reject(toError(outcome));
      });
    } catch (error) {
      for (const { reject } of group) reject(toError(error));
    }
  };

  /** Waits while every turn of the event loop brings more writes, because one commit for all of them is cheaper. */
  const gather = async (): Promise<void> => {
    const until = performance.now() + GATHER_MS;
    for (let before = 0; before < waiting.length && performance.now() < until; ) {
      before = waiting.length;
      await nextTurn();
    }
  };

  const commitAll = async (): Promise<void> => {
    committing = true;
    while (waiting.length > 0) {
      await gather();
      const group = takeGroup();
      if (group[0]) await commit(group, group[0].into);
    }
    committing = false;
  };

  return {
    /** Resolves once the row is on disk: `inserted`, or `skipped` if its key exists and the target says to skip it. */
    insert(into: InsertTarget, row: InsertRow): Promise<'inserted' | 'skipped'> {
      if (waiting.length >= MOST_WAITING) {
        return Promise.reject(new DatabaseUnavailable('Too many writes are waiting for the database.'));
      }
      return new Promise((resolve, reject) => {
        waiting.push({ into, row, resolve, reject });
        if (!committing) void commitAll();
      });
    },
  };
};
