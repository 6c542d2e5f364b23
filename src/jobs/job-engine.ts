import type { Transaction } from '../platform/index.ts';
import type { JobDefinition } from './job-definition.ts';

type NewJob = {
  id: string;
  definition: JobDefinition;
  payload: object;
  key: string | null;
  delayMs: number;
  behind: number;
};

/** A job that a worker has taken. If it's taken again, with a higher `attempt`, settling this one has no effect. */
export type TakenJob = { id: string; name: string; payload: unknown; attempt: number; attemptsAllowed: number };

export type FreeQueue = { name: string; room: number };

export type DeadJob = {
  id: string;
  name: string;
  payload: unknown;
  attempts: number;
  lastError: string | null;
  createdAt: number;
  diedAt: number;
};

export type DeadJobs = {
  /** Lists failed jobs, newest first. */
  list(limit: number): Promise<DeadJob[]>;
  /** Lists the ids of all failed jobs, oldest first. */
  listIds(): AsyncIterable<string>;
  /** Queues a failed job again, with all its attempts. False if there is no such job, or if another has its key now. */
  retry(id: string): Promise<boolean>;
};

export type JobCounts = {
  queued: number;
  active: number;
  failed: number;
  /** How long the oldest due job has been waiting, or null if there is none. */
  oldestSeconds: number | null;
};

/**
 * Where jobs are kept. A job goes from `queued` to `active` when it's taken, which counts the attempt. From `active`,
 * it goes to done, back to `queued` (`retry`, `release`, or the process ended), or to dead (`bury`, or the process
 * ended with no attempt left). A command moves dead jobs back to `queued`.
 */
export type JobEngine = {
  enqueue(tx: Transaction, job: NewJob): Promise<'queued' | 'duplicate'>;
  /** Called once, before a process first takes jobs. */
  begin(): Promise<unknown>;
  /**
   * Called before each `take`. Does one step of the work that makes jobs ready. Returns whether there is more to do.
   */
  upkeep(): Promise<boolean>;
  /** Yields jobs as soon as they're taken, so that none are lost if taking the next ones fails. */
  take(free: readonly FreeQueue[]): AsyncIterable<TakenJob>;
  complete(job: TakenJob): Promise<unknown>;
  retry(job: TakenJob, delayMs: number, error: string): Promise<unknown>;
  bury(job: TakenJob, error: string): Promise<unknown>;
  /** Returns the job as if it had never been taken. */
  release(job: TakenJob): Promise<unknown>;
  /**
   * Reports at this interval that jobs are still running, and takes jobs away from processes that have stopped
   * reporting. Returns the jobs that this process no longer holds. Null if there is only one process.
   */
  heartbeat: { everyMs: number; touch(jobs: readonly TakenJob[]): Promise<TakenJob[]> } | null;
  /** Deletes waiting and failed jobs whose payload has this value. */
  forget(field: string, value: string): Promise<unknown>;
  dead: DeadJobs;
  count(): Promise<JobCounts>;
};

export const DEAD_KEPT_MS = 30 * 24 * 3_600_000;

/** The last error of a job whose process crashed or was killed. */
export const PROCESS_ENDED = 'The process ended while the job was running.';
