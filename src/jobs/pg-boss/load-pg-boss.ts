import { DEAD_KEPT_MS } from '../job-engine.ts';
import { HEARTBEAT_SECONDS } from './open-pg-boss.ts';
import { KEPT_SECONDS } from './pg-boss-engine.ts';

/** Longer than any job may take. If a process ends, that is noticed much earlier. */
const EXPIRE_SECONDS = 3_600;

const toTime = (column: string): string => `to_timestamp(${column} / 1000.0)`;

/**
 * Inserts archived jobs, the reverse of `FROM_PG_BOSS`. The retry count increases when a job is taken again, so an
 * attempt that has ended subtracts one.
 */
export const LOAD_INTO_PG_BOSS = `insert into pgboss.job (id, name, data, state, priority, start_after, created_on, started_on,
    completed_on, singleton_key, retry_count, retry_limit, retry_delay, retry_backoff, expire_seconds, heartbeat_seconds,
    deletion_seconds, keep_until, policy, output)
  select cast(id as uuid), name, cast(payload as jsonb),
         cast(case when state = 'dead' then 'failed' when taken_at is null then 'created' else 'retry' end as pgboss.job_state),
         cast(-behind as int), ${toTime('run_at')}, ${toTime('created_at')}, ${toTime('taken_at')}, ${toTime('died_at')},
         coalesce(unique_key, id), cast(case when taken_at is null then attempts else attempts - 1 end as int),
         cast(attempts_allowed - 1 as int), 0, false, ${EXPIRE_SECONDS}, ${HEARTBEAT_SECONDS}, ${DEAD_KEPT_MS / 1_000},
         ${toTime('run_at')} + interval '${KEPT_SECONDS} s', 'exclusive',
         case when last_error is not null then jsonb_build_object('message', last_error) end
    from rows`;
