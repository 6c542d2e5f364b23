import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../platform/index.ts';
import type { Verdict } from './attempt-job.ts';
import type { JobDefinition } from './job-definition.ts';
import type { JobEngine, TakenJob } from './job-engine.ts';

export type JobOutcome = 'completed' | 'retried' | 'dead' | 'released' | 'lost';

const MOST_PAUSE_MS = 10_000;

/**
 * Doubles from attempt to attempt up to the most, then takes away up to half: jobs that failed together do not come
 * back together, and a later attempt never waits less than an earlier one.
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
  verdict: Verdict,
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
 * Writes down how an attempt ended. If the database is away it tries until it is back: a job that was done would
 * otherwise be done again. `givingUp` ends the trying; then the job is taken for one whose process ended.
 */
export const settleJob = async (
  { engine, log, givingUp }: { engine: JobEngine; log: Log; givingUp: AbortSignal },
  definition: JobDefinition,
  job: TakenJob,
  verdict: Verdict,
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
