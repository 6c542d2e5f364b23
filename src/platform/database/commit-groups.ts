import { setImmediate as nextTurn } from 'node:timers/promises';
import { DatabaseUnavailable } from './database.ts';

const GATHER_MS = 3;
const MOST_WAITING = 20_000;

type Waiting<Item, Result> = { item: Item; resolve(result: Result): void; reject(error: Error): void };

type GroupSettings<Item, Result> = {
  /** How many of these items, from the first on, are committed together. At least one. */
  countTogether(waiting: readonly Item[]): number;
  /** Commits a group. Returns each item's result, or its error. */
  commit(group: readonly Item[]): Promise<readonly (Result | Error)[]>;
};

const toError = (error: unknown): Error => (error instanceof Error ? error : new Error('The write failed.'));

/**
 * Group commit. A lone item commits in the next turn of the event loop. While a commit is in progress, new items wait
 * and then share the next commit. There is no timer: under load, the group grows by itself.
 *
 * Guarantees: a promise resolves only after COMMIT; an item with an error rejects alone; if a commit throws, every item
 * in it rejects.
 */
export const createCommitGroups = <Item, Result>({ countTogether, commit }: GroupSettings<Item, Result>) => {
  let waiting: Waiting<Item, Result>[] = [];
  let committing = false;

  /** Takes items from the front of the queue, so that they commit in the order of arrival. */
  const takeGroup = (): Waiting<Item, Result>[] => {
    const most = countTogether(waiting.map(({ item }) => item));
    const group = waiting.slice(0, most);
    waiting = waiting.slice(most);
    return group;
  };

  const commitGroup = async (group: readonly Waiting<Item, Result>[]): Promise<void> => {
    try {
      const results = await commit(group.map(({ item }) => item));
      group.forEach(({ resolve, reject }, index) => {
        const result = results[index];
        if (result === undefined || result instanceof Error) reject(toError(result));
        else resolve(result);
      });
    } catch (error) {
      for (const { reject } of group) reject(toError(error));
    }
  };

  /** Waits while every turn of the event loop brings more items, because one commit for all of them is cheaper. */
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
      await commitGroup(takeGroup());
    }
    committing = false;
  };

  /** Resolves once the item is on disk. */
  return (item: Item): Promise<Result> => {
    if (waiting.length >= MOST_WAITING)
      return Promise.reject(new DatabaseUnavailable('Too many writes are waiting for the database.'));
    return new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (!committing) void commitAll();
    });
  };
};
