import type { PgBoss } from 'pg-boss';

/** The key of an advisory lock. Any number works, as long as every process uses the same one. */
const LOCK = 7_241_303;

/**
 * The indexes that pg-boss 12.35 lacks. Without them, it reads every waiting job to find the due ones, and its whole
 * table to find running and failed ones.
 */
const INDEXES = {
  patchbay_due: "(name, start_after) where state < 'active' and not blocked",
  patchbay_active: "(name) where state = 'active'",
  patchbay_failed: "(completed_on, id) where state = 'failed'",
};

const CREATE = Object.entries(INDEXES).map(
  ([name, rest]) => `create index if not exists ${name} on pgboss.job ${rest};`,
);
const MISSING = Object.keys(INDEXES).map((name) => `to_regclass('pgboss.${name}') is null`);

const ADD_INDEXES = `do $$ begin
  if ${MISSING.join(' or ')} then
    perform pg_advisory_xact_lock(${LOCK});
    ${CREATE.join('\n    ')}
  end if;
end $$`;

/**
 * Keeps pg-boss from counting its whole table at each check for killed processes, every three seconds. We don't use the
 * counts.
 */
const COUNT_NOTHING = `update pgboss.version set monitor_backoff_on = timestamptz '9999-01-01'
  where monitor_backoff_on is distinct from timestamptz '9999-01-01'`;

/** Makes pg-boss fast with very many jobs. It also works without this. */
export const preparePgBoss = async (boss: PgBoss): Promise<void> => {
  await boss.getDb().executeSql(COUNT_NOTHING);
  await boss.getDb().executeSql(ADD_INDEXES);
};
