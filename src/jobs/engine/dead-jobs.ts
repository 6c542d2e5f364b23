import { UniqueViolation } from '../../platform/index.ts';
import type { JobsContext } from '../context.ts';
import type { DeadJob, DeadJobs } from '../job-engine.ts';
import { given, queueSqlOf } from './queue-sql.ts';

const PAGE = 200;

type Place = { died_at: number; place: number | string };

const REVIVE = `state = 'queued', ready = 1, attempts = 0, taken_at = null, died_at = null, last_error = null`;

export const createDeadJobs = ({ database, clock }: Pick<JobsContext, 'database' | 'clock'>): DeadJobs => {
  const { now, row, through } = queueSqlOf(database.engine);
  const FROM_DEAD = `from jobs ${through('jobs_dead')} where state = 'dead'`;
  const atNow = () => given({ now: clock.now() });

  return {
    async list(limit) {
      const rows = await database.allFrom<DeadJob & { payload: string }>(
        atNow(),
        `select id, name, payload, attempts, last_error as "lastError", created_at as "createdAt", died_at as "diedAt"
           ${FROM_DEAD} order by died_at desc, ${row} desc limit ${Math.trunc(limit)}`,
      );
      return rows.map((job) => ({ ...job, payload: JSON.parse(job.payload) }));
    },

    /** Leaves out jobs that fail after the list was begun, so that a job that is retried isn't listed again. */
    async *listIds() {
      const [begun] = await database.allFrom<{ at: number }>(atNow(), `select ${now} as at`);
      const listAfter = (after: string, place: Partial<Place> = {}) =>
        database.allFrom<Place & { id: string }>(
          given({ ...place, begun: begun?.at ?? 0 }),
          `select id, died_at, ${row} as place ${FROM_DEAD} and died_at <= (select begun from rows) ${after}
            order by died_at, ${row} limit ${PAGE}`,
        );
      let page = await listAfter('');
      while (page.length > 0) {
        yield* page.map(({ id }) => id);
        const { died_at, place } = page.at(-1) ?? { died_at: 0, place: '' };
        page = await listAfter(`and (died_at, ${row}) > ((select died_at from rows), (select place from rows))`, {
          died_at,
          place,
        });
      }
    },

    async retry(id) {
      try {
        const revived = await database.runFrom(
          given({ id, now: clock.now() }),
          `update jobs set ${REVIVE}, run_at = ${now}
            where id = (select id from rows) and state = 'dead' and not exists (
                  select 1 from jobs other where other.name = jobs.name and other.unique_key = jobs.unique_key
                     and other.unique_key is not null and other.state <> 'dead')`,
        );
        return revived === 1;
      } catch (error) {
        // Another process has just added a job with this key.
        if (error instanceof UniqueViolation) return false;
        throw error;
      }
    },
  };
};
