import type { Loader, Log, ScannedRow, Secret } from '../platform/index.ts';
import { ARCHIVED_JOBS } from './archived-jobs.ts';
import { createPgBossQueues } from './pg-boss/create-pg-boss-queues.ts';
import { LOAD_INTO_PG_BOSS } from './pg-boss/load-pg-boss.ts';

const NAME_AT = Object.keys(ARCHIVED_JOBS.columns).indexOf('name');

/**
 * Adds archived jobs to the queue of a database that is being filled. On SQLite, due jobs are noticed once the service
 * runs. On PostgreSQL, the queues of pg-boss are created at once, outside the transaction: if it rolls back, empty
 * queues do no harm.
 */
export const createJobsLoader = (loader: Loader, { url, log }: { url: Secret | null; log: Log }) => {
  const queues = new Set<string>();
  return async (rows: readonly ScannedRow[]): Promise<void> => {
    if (!url) return loader.insert(ARCHIVED_JOBS.name, Object.keys(ARCHIVED_JOBS.columns), rows);
    const names = new Set(rows.map((row) => String(row[NAME_AT]))).difference(queues);
    if (names.size > 0) await createPgBossQueues({ url, log }, [...names]);
    for (const name of names) queues.add(name);
    await loader.tx.runFrom({ columns: ARCHIVED_JOBS.columns, rows }, LOAD_INTO_PG_BOSS);
  };
};
