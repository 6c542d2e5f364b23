import type { Engine, RowTable } from '../../platform/index.ts';

/** Where the engines differ. Everything else about the queue is one text for both. */
export type QueueSql = {
  /**
   * The present time in milliseconds. On PostgreSQL, the server's, because the clocks of processes may be apart. On
   * SQLite, that of the statement's values.
   */
  now: string;
  /** What tells rows apart and sorts them in the order in which they were added. */
  row: string;
  /** Skips rows that another process is changing. SQLite serves only one process. */
  skipLocked: string;
  /**
   * Names the index to use. PostgreSQL can't be told, but uses the one that has the order that a statement asks for, so
   * statements with a limit name the order even where it makes no difference.
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
