import type { TProperties } from 'typebox';
import { inSpan, type Transaction, within } from '../platform/index.ts';
import type { BoundHandler, JobContext } from './attempt-job.ts';
import { createBelievedClock } from './believed-clock.ts';
import type { JobsContext } from './context.ts';
import { createTableEngine } from './engine/table-engine.ts';
import { type JobDefinition, type PayloadOf, parsePayload } from './job-definition.ts';
import type { DeadJob, JobCounts } from './job-engine.ts';
import { createLoop } from './loop.ts';
import { createRecurringJobs, type Interval } from './recurring-jobs.ts';
import { createWorker } from './worker.ts';

export type EnqueueOptions = {
  delayMs?: number;
  /** While a job with this definition and key is queued or running, another one is a duplicate. */
  key?: string;
  /** How many jobs of the same team were already waiting. Due jobs with a lower number are taken first. */
  behind?: number;
};

const END_MS = 1_000;
/** The key of all recurring jobs, so that only one of each is queued or running. */
const RECURRING = 'recurring';

/**
 * Creates the queue and its worker (see `index.ts`). Nothing runs before `start`.
 */
export const createJobs = (context: JobsContext) => {
  const { newId, log, pollMs, tracing } = context;
  const engine = createTableEngine(context);
  const handlers = new Map<string, BoundHandler>();
  const worker = createWorker(context, engine, handlers);

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

  const recurring = createRecurringJobs(context, (tx, definition) => enqueue(tx, definition, {}, { key: RECURRING }));
  const recurringLoop = createLoop(log, 'Enqueuing recurring jobs', recurring.enqueueDue, pollMs);

  const believesClock = createBelievedClock(context);

  const handle = <Properties extends TProperties>(
    definition: JobDefinition<Properties>,
    handler: (payload: PayloadOf<Properties>, context: JobContext) => Promise<void>,
  ): void => {
    const { name } = definition;
    if (handlers.has(name)) throw new TypeError(`The job ${name} already has a handler.`);
    handlers.set(name, {
      definition,
      run(payload, context) {
        const span = () => ({ name: `job ${name}`, kind: 'internal', attributes: { 'patchbay.job': name } }) as const;
        return inSpan(span, async () => handler(parsePayload(definition, payload), context), tracing?.tracer);
      },
    });
  };

  const every = (definition: JobDefinition, interval: Interval): void => {
    parsePayload(definition, {});
    recurring.add(definition, interval);
  };

  return {
    /**
     * Enqueues a job in the caller's transaction: if that rolls back, there is no job. Throws if the payload doesn't
     * match.
     */
    enqueue,

    /** Binds a definition's handler. Call before `start`, and only in processes that run jobs. */
    handle,

    /**
     * Enqueues a job without payload at this interval, once for all processes. If the previous run is still waiting or
     * running, the next one is skipped. After a long downtime there is one run, not many.
     */
    every,

    /**
     * Does both `handle` and `every`, for a job that deletes old rows. It doesn't run while the clock can't be
     * believed.
     */
    prune(
      definition: JobDefinition,
      interval: Interval,
      handler: (payload: object, context: JobContext) => Promise<void>,
    ): void {
      handle(definition, async (payload, context) => {
        if (await believesClock()) await handler(payload, context);
      });
      every(definition, interval);
    },

    /** Runs a recurring job as soon as the transaction commits, unless the job is already waiting or running. */
    hasten: (tx: Transaction, definition: JobDefinition): Promise<'queued' | 'duplicate'> =>
      enqueue(tx, definition, {}, { key: RECURRING }),

    /** Deletes waiting and failed jobs whose payload has this value. Running jobs stay. */
    async forget(field: string, value: string): Promise<void> {
      await engine.forget(field, value);
    },

    /** Starts running jobs. Waits if the database is unavailable. */
    start(): void {
      worker.start();
      recurringLoop.start();
    },

    /** Stops within `drainMs` plus three seconds, started or not. Unfinished jobs run again elsewhere. */
    async stop({ drainMs }: { drainMs: number }): Promise<void> {
      const recurringEnded = recurringLoop.stop();
      await worker.stop(drainMs);
      await within(END_MS, recurringEnded);
    },

    listDead: (limit: number): Promise<DeadJob[]> => engine.dead.list(limit),

    /** Queues failed jobs again, with all their attempts. Returns how many: a job whose key is in use stays failed. */
    async retryDead(which: string): Promise<number> {
      const ids = which === 'all' ? engine.dead.listIds() : [which];
      let retried = 0;
      for await (const id of ids) if (await engine.dead.retry(id)) retried++;
      worker.wake();
      return retried;
    },

    count: (): Promise<JobCounts> => engine.count(),
  };
};

export type Jobs = ReturnType<typeof createJobs>;
