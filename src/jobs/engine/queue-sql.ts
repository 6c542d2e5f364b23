import type { Engine, RowTable } from '../../platform/index.ts';

/** The parts of the queue's SQL that differ between the engines. */
export type QueueSql = {
  /**
   * The present time in milliseconds. On PostgreSQL, it's the server's, because the processes' clocks may differ. On
   * SQLite, it's passed in as a value named `now` (see `given`).
   */
  now: string;
  /** The column that identifies a row. Sorted by it, earlier rows come first. */
  row: string;
  /** Skips rows that another process is changing. SQLite serves only one process. */
  skipLocked: string;
  /**
   * Names the index to use, on SQLite. PostgreSQL chooses an index itself, by the `order by`. So statements with a
   * limit have an `order by` even if any order would do.
   */
  through(index: 'jobs_ready' | 'jobs_by_state' | 'jobs_dead'): string;
};

const TEXTS: Readonly<Record<Engine, QueueSql>> = {
  sqlite: {
    now: '(select now from rows)',
    row: 'rowid',
    skipLocked: '',
    through: (index) => `indexed by ${index}`,
  },
  postgresql: {
    now: 'cast(floor(extract(epoch from statement_timestamp()) * 1000) as bigint)',
    row: 'id',
    skipLocked: 'for update skip locked',
    through: () => '',
  },
};

export const queueSqlOf = (engine: Engine): QueueSql => TEXTS[engine];

/**
 * Values for a statement, which reads them as the only row of `rows`. Statements with `rows` are planned each time: a
 * plan from when the queue was empty would read the whole table (68 ms instead of 0.7 with 300,000 jobs).
 */
export const given = (values: Readonly<Record<string, string | number | null>>): RowTable => ({
  columns: Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, typeof value === 'number' ? 'bigint' : 'text']),
  ),
  rows: [Object.values(values)],
});
