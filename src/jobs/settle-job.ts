import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../platform/index.ts';
import type { JobVerdict } from './attempt-job.ts';
import type { JobDefinition } from './job-definition.ts';
import type { JobEngine, TakenJob } from './job-engine.ts';

export type JobOutcome = 'completed' | 'retried' | 'dead' | 'released' | 'lost';

const MOST_PAUSE_MS = 10_000;

/**
 * The delay before the next attempt. It doubles with each attempt up to the maximum, minus up to half at random, so
 * that jobs that failed together don't come back together. Until the maximum is reached, a later attempt never waits
 * less than an earlier one.
 */
export const retryDelayMs = (
  { firstRetryMs, mostRetryMs }: Pick<JobDefinition, 'firstRetryMs' | 'mostRetryMs'>,
  attempt: number,
  random = Math.random(),
): number => Math.round(Math.min(mostRetryMs, firstRetryMs * 2 ** (attempt - 1)) * (1 - random / 2));

const settleOnce = async (
  engine: JobEngine,
  definition: JobDefinition,
  job: TakenJob,
  verdict: JobVerdict,
): Promise<JobOutcome> => {
  switch (verdict.kind) {
    case 'completed':
      await engine.complete(job);
      return 'completed';
    case 'failed':
      if (verdict.final || job.attempt >= job.attemptsAllowed) {
        await engine.bury(job, verdict.error);
        return 'dead';
      }
      await engine.retry(job, retryDelayMs(definition, job.attempt), verdict.error);
      return 'retried';
    case 'givenBack':
      await engine.release(job);
      return 'released';
    case 'lost':
      return 'lost';
  }
};

/**
 * Records how an attempt ended. If the database is unavailable, it keeps trying, because a finished job would otherwise
 * run again. If `givingUp` aborts, the job is left as if its process had ended.
 */
export const settleJob = async (
  { engine, log, givingUp }: { engine: JobEngine; log: Log; givingUp: AbortSignal },
  definition: JobDefinition,
  job: TakenJob,
  verdict: JobVerdict,
): Promise<JobOutcome> => {
  const which = { job: job.name, jobId: job.id, attempt: job.attempt };
  for (let pauseMs = 200; ; pauseMs = Math.min(2 * pauseMs, MOST_PAUSE_MS)) {
    try {
      const outcome = await settleOnce(engine, definition, job, verdict);
      if (verdict.kind === 'failed') log.warn({ ...which, outcome, reason: verdict.error }, 'A job failed.');
      return outcome;
    } catch (error) {
      if (givingUp.aborted) return 'lost';
      log.warn({ ...which, err: error }, 'The result of a job could not be saved yet.');
      await sleep(pauseMs, undefined, { signal: givingUp }).catch(() => undefined);
    }
  }
};
