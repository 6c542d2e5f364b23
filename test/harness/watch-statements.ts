import type { Database, Queries } from '../../src/platform/index.ts';

/** Counts the statements of each transaction until `stop`. */
export const watchStatements = (database: Database) => {
  const { transaction } = database;
  const counts: number[] = [];
  const watched: typeof transaction = (work) =>
    transaction((tx) => {
      const index = counts.push(0) - 1;
      const count =
        <Name extends keyof Queries>(name: Name): Queries[Name] =>
        (...statement: never[]) => {
          counts[index] = (counts[index] ?? 0) + 1;
          return (tx[name] as (...values: never[]) => never)(...statement);
        };
      const counted = { get: count('get'), all: count('all'), run: count('run') };
      return work({ ...tx, ...counted, allFrom: count('allFrom'), runFrom: count('runFrom') });
    });
  Object.assign(database, { transaction: watched });
  return {
    mostInOneTransaction: (): number => Math.max(0, ...counts),
    stop: (): void => void Object.assign(database, { transaction }),
  };
};
