import type { Db, PgBoss } from 'pg-boss';
import {
  type Log,
  onFirstUse,
  type Secret,
  type Transaction,
  translatePostgresqlError,
  type Value,
} from '../../platform/index.ts';
import { DEAD_KEPT_MS, type JobEngine } from '../job-engine.ts';
import { QUEUE_OPTIONS } from './create-pg-boss-queues.ts';
import { HEARTBEAT_SECONDS, openPgBoss } from './open-pg-boss.ts';
import { createPgBossDeadJobs } from './pg-boss-dead-jobs.ts';
import { type Ask, changeRow, countRows, listDueQueues, touchRows } from './pg-boss-rows.ts';

const HEARTBEAT_EVERY_MS = 3_000;
/** How long a job may wait. */
export const KEPT_SECONDS = 365 * 24 * 3_600;
/** How many seconds longer than ours pg-boss's time limit for a job is. It's only a fallback. */
const LATE_SECONDS = 60;
const ERROR = "output = jsonb_build_object('message', $4::text)";

const through = (tx: Transaction): Db => ({
  executeSql: async (text, values = []) => ({ rows: await tx.all(text, values as Value[]) }),
});

const translated = <Result>(work: Promise<Result>): Promise<Result> =>
  work.catch((error) => {
    throw translatePostgresqlError(error);
  });

/**
 * Uses pg-boss as the queue: its schema, enqueuing in the caller's transaction, taking (`skip locked`), unique keys
 * (the `exclusive` policy), heartbeats and cleanup. The worker is ours, the same as on the embedded engine. pg-boss is
 * opened on first use. If the database was unavailable, the next use tries again.
 */
export const createPgBossEngine = (context: { url: Secret; log: Log }): JobEngine => {
  const queues = new Set<string>();
  const open = onFirstUse(() => translated(openPgBoss(context)));
  const ask: Ask = async (text, values) => {
    const boss = await open();
    return (await translated(boss.getDb().executeSql(text, values))).rows;
  };

  const ensureQueue = async (boss: PgBoss, name: string): Promise<void> => {
    if (queues.has(name)) return;
    await boss.createQueue(name, QUEUE_OPTIONS);
    queues.add(name);
  };

  return {
    async enqueue(tx, { id, definition: { name, attempts, timeoutMs }, payload, key, delayMs, behind }) {
      const boss = await open();
      await ensureQueue(boss, name);
      const sent = await boss.send(name, payload, {
        id,
        // In an exclusive queue, jobs without a key would exclude each other.
        singletonKey: key ?? id,
        startAfter: delayMs / 1_000,
        priority: -behind,
        retryLimit: attempts - 1,
        // pg-boss itself only retries a job whose process ended, and does so immediately.
        retryDelay: 0,
        retryBackoff: false,
        heartbeatSeconds: HEARTBEAT_SECONDS,
        expireInSeconds: Math.ceil(timeoutMs / 1_000) + LATE_SECONDS,
        retentionSeconds: KEPT_SECONDS,
        deleteAfterSeconds: DEAD_KEPT_MS / 1_000,
        db: through(tx),
      });
      return sent === null ? 'duplicate' : 'queued';
    },

    begin: open,
    // pg-boss does its own upkeep.
    upkeep: null,

    async *take(free) {
      const boss = await open();
      const rooms = new Map(free.map(({ name, room }) => [name, room]));
      for (const name of await listDueQueues(ask, [...rooms.keys()])) {
        const jobs = await boss.fetch(name, { batchSize: rooms.get(name) ?? 1, includeMetadata: true });
        for (const { id, data, retryCount, retryLimit } of jobs) {
          yield { id, name, payload: data, attempt: retryCount + 1, attemptsAllowed: retryLimit + 1 };
        }
      }
    },

    complete: async ({ name, id, attempt }) => (await open()).deleteJob(name, { id, retryCount: attempt - 1 }),
    retry: (job, delayMs, error) =>
      changeRow(
        ask,
        job,
        `state = 'retry', start_after = now() + $5 * interval '1 millisecond', ${ERROR}`,
        error,
        delayMs,
      ),
    bury: (job, error) => changeRow(ask, job, `state = 'failed', completed_on = now(), ${ERROR}`, error),
    // Without a start time, the next take doesn't count as a retry.
    release: (job) => changeRow(ask, job, "state = 'created', started_on = null"),
    forget: (field, value) =>
      ask("delete from pgboss.job where data ->> $1::text = $2 and state <> 'active'", [field, value]),
    heartbeat: { everyMs: HEARTBEAT_EVERY_MS, touch: (jobs) => touchRows(ask, jobs) },
    dead: createPgBossDeadJobs(ask),
    count: () => countRows(ask),
    async close() {
      await (await open.begun()?.catch(() => undefined))?.stop({ graceful: false });
    },
  };
};
