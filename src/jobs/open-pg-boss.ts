import type { Clock, PgBoss } from 'pg-boss';
import type { Log, Secret } from '../platform/index.ts';

/**
 * A killed process is noticed when its last heartbeat is 10 s old (pg-boss allows no less), at the next look by any
 * process that lives.
 */
export const HEARTBEAT_SECONDS = 10;
const LOOK_SECONDS = 3;

/** pg-boss's housekeeping must not keep a command alive that only enqueues. */
const unrefClock: Clock = {
  now: () => Date.now(),
  setTimeout: (work, ms) => setTimeout(work, ms).unref(),
  clearTimeout: (timer) => clearTimeout(timer as NodeJS.Timeout),
  setInterval: (work, ms) => setInterval(work, ms).unref(),
  clearInterval: (timer) => clearInterval(timer as NodeJS.Timeout),
};

/** What pg-boss hands on to `pg` as it is, without naming it in its own types. */
const poolOptions = { keepAlive: true, query_timeout: 30_000, allowExitOnIdle: true };

/**
 * pg-boss with a small pool of its own, so that a storm of requests does not starve the jobs. It installs and upgrades
 * its schema under a lock: of several processes that start at once, one does it.
 */
export const openPgBoss = async ({ url, log }: { url: Secret; log: Log }): Promise<PgBoss> => {
  // Loaded here and not above: on SQLite nobody needs it, and it brings 7 MB.
  const { PgBoss } = await import('pg-boss');
  const boss = new PgBoss({
    ...poolOptions,
    connectionString: url.reveal(),
    application_name: 'patchbay jobs',
    connectionTimeoutMillis: 5_000,
    max: 4,
    schema: 'pgboss',
    schedule: false,
    superviseIntervalSeconds: LOOK_SECONDS,
    monitorIntervalSeconds: LOOK_SECONDS,
    // A backlog is told by `count`: at each look pg-boss would log it once more.
    warningQueueSize: Number.MAX_SAFE_INTEGER,
    clock: unrefClock,
  });
  // Without a listener an error would end the process. Some of them are plain objects.
  boss.on('error', ({ message }) => log.warn({ reason: message }, 'pg-boss reported an error.'));
  boss.on('warning', ({ message }) => log.warn({ reason: message }, 'pg-boss reported a warning.'));
  try {
    return await boss.start();
  } catch (error) {
    await boss.stop({ graceful: false }).catch(() => undefined);
    throw error;
  }
};
