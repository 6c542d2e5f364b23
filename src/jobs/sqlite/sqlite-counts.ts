import type { Database } from '../../platform/index.ts';
import type { JobCounts } from '../job-engine.ts';

/** If there are more jobs than this, another process counts them. */
const MOST_COUNTED = 5_000;

const STATES = { queued: 'queued', active: 'active', failed: 'dead' } as const;

const COUNTS = Object.entries(STATES).map(
  ([name, state]) =>
    `(select count(*) from (
        select 1 from jobs indexed by jobs_by_state where state = '${state}' limit ${MOST_COUNTED + 1})) as ${name}`,
);

/** The earliest time of all queued jobs. A job that isn't marked as ready may be due already. */
const OLDEST = `(select min(oldest) from (
  select min(run_at) as oldest from jobs indexed by jobs_by_state where state = 'queued' and ready = 0
   union all
  select min(run_at) from jobs indexed by jobs_by_state where state = 'queued' and ready = 1)) as oldest`;

const COUNT_ALL = 'select state, count(*) from jobs indexed by jobs_by_state group by state';

type Counts = Pick<JobCounts, keyof typeof STATES>;

const countAll = async (database: Database): Promise<Counts> => {
  const counts = new Map(await database.scan<[state: string, count: number]>(COUNT_ALL, []));
  return { queued: counts.get('queued') ?? 0, active: counts.get('active') ?? 0, failed: counts.get('dead') ?? 0 };
};

export const countSqliteJobs = async (database: Database, now: number): Promise<JobCounts> => {
  const row = await database.get<Counts & { oldest: number | null }>(`select ${COUNTS.join(', ')}, ${OLDEST}`);
  const { oldest = null, ...few } = row ?? { queued: 0, active: 0, failed: 0 };
  const counts = Object.values(few).some((count) => count > MOST_COUNTED) ? await countAll(database) : few;
  return { ...counts, oldestSeconds: oldest === null || oldest > now ? null : (now - oldest) / 1_000 };
};
