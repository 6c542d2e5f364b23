import { readFileSync } from 'node:fs';
import type { Database } from '../../src/platform/index.ts';

const SCHEMA = readFileSync(new URL('./pg-boss-12.35.sql', import.meta.url), 'utf8');

/** The columns of a job as earlier versions wrote them, where they matter. Times are seconds from now. */
export type PgBossJob = {
  id: string;
  name: string;
  person: string;
  state: 'created' | 'retry' | 'active' | 'failed';
  key?: string;
  behind?: number;
  startsIn?: number;
  /** When it was last taken, and last renewed. */
  takenAgo?: number;
  failedAgo?: number;
  retries?: number;
  attempts?: number;
  output?: object;
};

/** A store of an earlier version, which kept its jobs with pg-boss. */
export const installPgBoss = (database: Database, queues: readonly string[]): Promise<void> =>
  database.transaction(async (tx) => {
    await tx.script(SCHEMA);
    for (const name of queues) await tx.get('select pgboss.create_queue($1, \'{"policy":"exclusive"}\')', [name]);
  });

const ago = (seconds: number): string => `now() - cast(${seconds} as float8) * interval '1 s'`;

/** As `send` of pg-boss added it, with the options of earlier versions. */
export const addPgBossJob = (database: Database, job: PgBossJob): Promise<number> =>
  database.run(
    `insert into pgboss.job (id, name, data, state, singleton_key, priority, start_after, started_on, heartbeat_on,
            completed_on, retry_count, retry_limit, retry_delay, retry_backoff, expire_seconds, heartbeat_seconds,
            deletion_seconds, keep_until, policy, output)
     values (cast($1 as uuid), $2, jsonb_build_object('person', cast($3 as text)), cast($4 as pgboss.job_state),
            coalesce($5, cast(cast($1 as uuid) as text)), cast($6 as int), ${ago(-(job.startsIn ?? 0))},
            ${job.takenAgo === undefined ? 'null' : ago(job.takenAgo)},
            ${job.state === 'active' ? ago(job.takenAgo ?? 0) : 'null'},
            ${job.failedAgo === undefined ? 'null' : ago(job.failedAgo)}, cast($7 as int), cast($8 as int), 0, false,
            120, 10, 2592000, now() + interval '365 days', 'exclusive', cast($9 as jsonb))`,
    [
      job.id,
      job.name,
      job.person,
      job.state,
      job.key ?? null,
      -(job.behind ?? 0),
      job.retries ?? 0,
      (job.attempts ?? 3) - 1,
      job.output ? JSON.stringify(job.output) : null,
    ],
  );
