import { createGroupWriter, type Database } from '../../src/platform/index.ts';
import { createRowMaker, type Row, target, verifyRows } from './rows.ts';

export const WAITERS = 64;
export const INSERT_MS = 2_000;

/**
 * Inserts rows with several waiters, each of which inserts its next row when its last one is on disk. Checks that all
 * rows are stored. Returns rows per second.
 */
const insertWith = async (database: Database, insert: (row: Row) => Promise<void>): Promise<number> => {
  const makeRow = createRowMaker();
  const settled: string[] = [];
  const begun = performance.now();
  const keepInserting = async (): Promise<void> => {
    while (performance.now() - begun < INSERT_MS) {
      const row = makeRow();
      await insert(row);
      settled.push(row.id);
    }
  };
  await Promise.all(Array.from({ length: WAITERS }, keepInserting));
  const seconds = (performance.now() - begun) / 1_000;
  await verifyRows(database, settled);
  return settled.length / seconds;
};

export const insertInGroups = (database: Database): Promise<number> => {
  const writer = createGroupWriter(database);
  return insertWith(database, async ({ values }) => {
    if ((await writer.insert(target, values)) !== 'inserted') throw new Error('A fresh row was skipped.');
  });
};
