import type { Clock, PgBoss } from 'pg-boss';
import { type Log, reachDatabase, type Secret } from '../../platform/index.ts';
import { preparePgBoss } from './prepare-pg-boss.ts';

/**
 * A killed process is noticed once its last heartbeat is 10 s old (the minimum in pg-boss), at the next check by any
 * other process.
 */
export const HEARTBEAT_SECONDS = 10;
const LOOK_SECONDS = 3;

/** pg-boss's maintenance timers must not keep a command alive that only enqueues. */
const unrefClock: Clock = {
  now: () => Date.now(),
  setTimeout: (work, ms) => setTimeout(work, ms).unref(),
  clearTimeout: (timer) => clearTimeout(timer as NodeJS.Timeout),
  setInterval: (work, ms) => setInterval(work, ms).unref(),
  clearInterval: (timer) => clearInterval(timer as NodeJS.Timeout),
};

/** Options that pg-boss passes on to `pg`, but that its types leave out. */
const poolOptions = { keepAlive: true, query_timeout: 30_000, allowExitOnIdle: true };

/**
 * Opens pg-boss with its own small pool, so that a flood of requests doesn't starve jobs. pg-boss installs and upgrades
 * its schema under a lock, so that if several processes start at once, only one does it.
 */
export const openPgBoss = async ({ url, log }: { url: Secret; log: Log }): Promise<PgBoss> => {
  // Load pg-boss only here, because SQLite doesn't need it and it takes 7 MB.
  const { PgBoss } = await import('pg-boss');
  const boss = new PgBoss({
    ...poolOptions,
    ...(await reachDatabase(url)),
    application_name: 'patchbay jobs',
    connectionTimeoutMillis: 5_000,
    max: 4,
    schema: 'pgboss',
    schedule: false,
    superviseIntervalSeconds: LOOK_SECONDS,
    monitorIntervalSeconds: LOOK_SECONDS,
    // Our `count` reports a backlog. pg-boss would log it at each check.
    warningQueueSize: Number.MAX_SAFE_INTEGER,
    clock: unrefClock,
  });
  // Without a listener, an error would end the process. Some errors are plain objects.
  boss.on('error', ({ message }) => log.warn({ reason: message }, 'pg-boss reported an error.'));
  boss.on('warning', ({ message }) => log.warn({ reason: message }, 'pg-boss reported a warning.'));
  try {
    const started = await boss.start();
    await preparePgBoss(started).catch((error) =>
      log.warn({ err: error }, 'The tables of pg-boss could not be prepared.'),
    );
    return started;
  } catch (error) {
    await boss.stop({ graceful: false }).catch(() => undefined);
    throw error;
  }
};
