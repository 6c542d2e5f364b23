import type { Database } from '../../platform/index.ts';
import type { JobsContext } from '../context.ts';
import type { JobCounts } from '../job-engine.ts';
import { given, queueSqlOf } from './queue-sql.ts';

/** If more jobs than this are in the same state, all jobs are counted with a long read (`scan`). */
const MOST_COUNTED = 5_000;

const STATES = { queued: 'queued', active: 'active', failed: 'dead' } as const;

type Counts = Pick<JobCounts, keyof typeof STATES>;

const countAll = async (database: Database, indexed: string): Promise<Counts> => {
  const text = `select state, count(*) from jobs ${indexed} group by state`;
  const counts = new Map(await database.scan<[state: string, count: number]>(text, []));
  return { queued: counts.get('queued') ?? 0, active: counts.get('active') ?? 0, failed: counts.get('dead') ?? 0 };
};

export const countJobs = async ({ database, clock }: Pick<JobsContext, 'database' | 'clock'>): Promise<JobCounts> => {
  const { now, through } = queueSqlOf(database.engine);
  const indexed = through('jobs_by_state');
  const counted = Object.entries(STATES).map(
    ([name, state]) =>
      `(select count(*) from (
          select 1 from jobs ${indexed} where state = '${state}' limit ${MOST_COUNTED + 1}) counted) as ${name}`,
  );
  // Include jobs that aren't marked as ready: they may be due already.
  const first = [0, 1].map(
    (ready) =>
      `(select run_at from jobs ${indexed} where state = 'queued' and ready = ${ready} order by run_at limit 1)`,
  );
  const [row] = await database.allFrom<Counts & { now: number; waiting: number | null; ready: number | null }>(
    given({ now: clock.now() }),
    `select ${counted.join(', ')}, ${first[0]} as waiting, ${first[1]} as ready, ${now} as now`,
  );
  const { waiting = null, ready = null, now: at = 0, ...few } = row ?? { queued: 0, active: 0, failed: 0 };
  const counts = Object.values(few).some((count) => count > MOST_COUNTED) ? await countAll(database, indexed) : few;
  const oldest = Math.min(waiting ?? Number.POSITIVE_INFINITY, ready ?? Number.POSITIVE_INFINITY);
  return { ...counts, oldestSeconds: oldest > at ? null : (at - oldest) / 1_000 };
};
