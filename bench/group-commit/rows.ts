import { randomUUID } from 'node:crypto';
import { createNewId, type Database, type InsertTarget, systemClock, type Value } from '../../src/platform/index.ts';

/** The same table for every engine and every peer. Its rows are like those of received webhooks. */
export const CREATE_TABLE = `create table bench_rows (
  id text primary key,
  dedup_key text not null unique,
  received_at bigint not null,
  payload text not null
)`;

export const INSERT_ONE = 'insert into bench_rows (id, dedup_key, received_at, payload) values ($1, $2, $3, $4)';

export const PAYLOAD = 'x'.repeat(300);

export const target: InsertTarget = {
  table: 'bench_rows',
  columns: { id: 'text', dedup_key: 'text', received_at: 'bigint', payload: 'text' },
  id: 'id',
  onConflict: 'skip',
};

export type Row = { id: string; values: readonly Value[] };

export const createRowMaker = (): (() => Row) => {
  const newId = createNewId(systemClock);
  return () => {
    const id = newId();
    return { id, values: [id, randomUUID(), systemClock.now(), PAYLOAD] };
  };
};

/** Checks that the table has every settled row exactly once, and no other rows. */
export const verifyRows = async (database: Database, settled: readonly string[]): Promise<void> => {
  const stored = await database.all<{ id: string }>('select id from bench_rows order by id');
  const expected = settled.toSorted();
  const same = stored.length === expected.length && stored.every(({ id }, index) => id === expected[index]);
  if (!same) throw new Error(`${settled.length} rows were settled and ${stored.length} are stored: they differ.`);
};
