import type { TProperties } from 'typebox';
import {
  type Clock,
  type Database,
  type Log,
  type NewId,
  type Secret,
  type Transaction,
  within,
} from '../platform/index.ts';
import type { BoundHandler, JobContext } from './attempt-job.ts';
import { type JobDefinition, type PayloadOf, parsePayload } from './job-definition.ts';
import type { DeadJob, JobCounts, JobEngine } from './job-engine.ts';
import { createLoop } from './loop.ts';
import { createPgBossEngine } from './pg-boss-engine.ts';
import { createRecurringJobs } from './recurring-jobs.ts';
import type { JobOutcome } from './settle-job.ts';
import { createSqliteEngine } from './sqlite-engine.ts';
import { createWorker } from './worker.ts';

export type JobsDependencies = {
  database: Database;
  /** Where pg-boss opens its own connections; not used on SQLite. */
  databaseUrl: Secret | null;
  clock: Clock;
  newId: NewId;
  log: Log;
  onFinished?(name: string, outcome: JobOutcome, ms: number): void;
  /** How soon a job is seen that another process enqueued, or whose time has come. */
  pollMs?: number;
};

export type EnqueueOptions = {
  delayMs?: number;
  /** While a job of this definition with this key is queued or at work, another is a duplicate. */
  key?: string;
  /** How many the same team has waiting. Of the jobs that are due, those with the fewest before them come first. */
  behind?: number;
};

const CLOSE_MS = 1_000;
const RECURRING_KEY = 'recurring';

const createEngine = ({ database, databaseUrl, clock, log }: JobsDependencies): JobEngine => {
  if (database.engine === 'sqlite') return createSqliteEngine({ database, clock });
  if (!databaseUrl) throw new TypeError('Jobs on PostgreSQL need the database URL.');
  return createPgBossEngine({ url: databaseUrl, log });
};

/** See `index.ts`. Nothing is opened before it is needed, and nothing runs before `start`. */
export const createJobs = (dependencies: JobsDependencies) => {
  const { database, clock, newId, log, onFinished = () => undefined, pollMs = 500 } = dependencies;
  const engine = createEngine(dependencies);
  const handlers = new Map<string, BoundHandler>();
  const worker = createWorker({ engine, handlers, log, pollMs, onFinished });

  const enqueue = async <Properties extends TProperties>(
    tx: Transaction,
    definition: JobDefinition<Properties>,
    payload: PayloadOf<Properties>,
    { delayMs = 0, key, behind = 0 }: EnqueueOptions = {},
  ): Promise<'queued' | 'duplicate'> => {
    const checked = parsePayload(definition, payload);
    const job = { id: newId(), definition, payload: checked, key: key ?? null, delayMs, behind };
    const outcome = await engine.enqueue(tx, job);
    if (outcome === 'queued') tx.afterCommit(worker.wake);
    return outcome;
  };

  const recurring = createRecurringJobs({
    database,
    clock,
    enqueue: (tx, definition) => enqueue(tx, definition, {}, { key: RECURRING_KEY }),
  });
  const recurringLoop = createLoop({
    purpose: 'Enqueuing recurring jobs',
    everyMs: pollMs,
    turn: recurring.enqueueDue,
    log,
  });

  return {
    /** Part of the caller's transaction: if that rolls back, there is no job. A payload that breaks its schema throws. */
    enqueue,

    /** Binds the handler of a definition. Before `start`, and only in processes that work jobs. */
    handle<Properties extends TProperties>(
      definition: JobDefinition<Properties>,
      handler: (payload: PayloadOf<Properties>, context: JobContext) => Promise<void>,
    ): void {
      const { name } = definition;
      if (handlers.has(name)) throw new TypeError(`The job ${name} already has a handler.`);
      handlers.set(name, {
        definition,
        run: async (payload, context) => handler(parsePayload(definition, payload), context),
      });
    },

    /**
     * Enqueues a job without payload at this pace, once for all processes. A run that is still waiting or at work when
     * the next is due takes its place; after a long downtime there is one run, not many.
     */
    every(definition: JobDefinition, { everyMs }: { everyMs: number }): void {
      parsePayload(definition, {});
      recurring.add(definition, everyMs);
    },

    /** Begins to work jobs. If the database is away it waits for it. */
    start(): void {
      worker.start();
      recurringLoop.start();
    },

    /** Over within `drainMs` and three seconds, started or not. What is not done by then runs again elsewhere. */
    async stop({ drainMs }: { drainMs: number }): Promise<void> {
      const recurringEnded = recurringLoop.stop();
      await worker.stop(drainMs);
      await within(CLOSE_MS, Promise.all([recurringEnded, engine.close()]));
    },

    listDead: (limit: number): Promise<DeadJob[]> => engine.dead.list(limit),

    /** Gives dead jobs all their attempts again. Answers how many: a job whose key is taken meanwhile stays dead. */
    async retryDead(which: string): Promise<number> {
      const ids = which === 'all' ? await engine.dead.listIds() : [which];
      let retried = 0;
      for (const id of ids) if (await engine.dead.retry(id)) retried++;
      worker.wake();
      return retried;
    },

    count: (): Promise<JobCounts> => engine.count(),
  };
};

export type Jobs = ReturnType<typeof createJobs>;
