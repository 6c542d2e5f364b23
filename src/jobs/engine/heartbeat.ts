import type { JobsContext } from '../context.ts';
import { type JobEngine, PROCESS_ENDED, type TakenJob } from '../job-engine.ts';
import { given, queueSqlOf } from './queue-sql.ts';

const EVERY_MS = 3_000;
const STALE_MS = 10_000;

/**
 * Finds jobs whose process has ended. They run again, or fail if no attempt is left. On SQLite, those are all jobs that
 * are active when a process starts. On PostgreSQL, a process renews the heartbeats of its jobs every three seconds, and
 * then looks for jobs whose heartbeat is older than ten seconds, by the server's clock.
 */
export const createHeartbeat = ({ database, clock }: Pick<JobsContext, 'database' | 'clock'>) => {
  const isShared = database.engine === 'postgresql';
  const { now, through } = queueSqlOf(database.engine);
  const ended = isShared ? `and coalesce(heartbeat_at, 0) < ${now} - ${STALE_MS}` : '';
  const takeBackText = `update jobs ${through('jobs_by_state')}
      set state = case when attempts < attempts_allowed then 'queued' else 'dead' end,
          died_at = case when attempts < attempts_allowed then null else ${now} end,
          ready = 1, run_at = ${now}, last_error = (select error from rows)
    where state = 'active' ${ended}`;

  const takeBack = (): Promise<number> =>
    database.runFrom(given({ error: PROCESS_ENDED, now: clock.now() }), takeBackText);

  const renew = async (jobs: readonly TakenJob[]): Promise<TakenJob[]> => {
    if (jobs.length === 0) return [];
    const table = {
      columns: { id: 'text', attempt: 'bigint' },
      rows: jobs.map(({ id, attempt }) => [id, attempt]),
    } as const;
    const renewed = await database.allFrom<{ id: string }>(
      table,
      `update jobs set heartbeat_at = ${now} from rows
        where jobs.id = rows.id and jobs.attempts = rows.attempt and jobs.state = 'active' returning jobs.id`,
    );
    const held = new Set(renewed.map(({ id }) => id));
    return jobs.filter(({ id }) => !held.has(id));
  };

  const beat: JobEngine['heartbeat'] = {
    everyMs: EVERY_MS,
    async touch(jobs) {
      // Renew this process's own jobs first: if the process was suspended for a while, their heartbeats look stale.
      const lost = await renew(jobs);
      await takeBack();
      return lost;
    },
  };

  return { begin: takeBack, beat: isShared ? beat : null };
};
