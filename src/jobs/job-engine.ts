import type { Transaction } from '../platform/index.ts';
import type { JobDefinition } from './job-definition.ts';

export type NewJob = {
  id: string;
  definition: JobDefinition;
  payload: object;
  key: string | null;
  delayMs: number;
  behind: number;
};

/** A job in a worker's hands. `attempt` names this hold on it: settling an older hold changes nothing. */
export type TakenJob = { id: string; name: string; payload: unknown; attempt: number; attemptsAllowed: number };

export type FreeSlots = { name: string; slots: number };

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
  /** The latest first. */
  list(limit: number): Promise<DeadJob[]>;
  listIds(): Promise<string[]>;
  /** With all its attempts again. False if there is no such dead job, or if another job holds its key now. */
  retry(id: string): Promise<boolean>;
};

export type JobCounts = {
  queued: number;
  active: number;
  failed: number;
  /** How long the oldest job that is due has been waiting, or null when none is. */
  oldestSeconds: number | null;
};

/**
 * Where jobs are kept. `queued → active` when taken (the attempt is counted here); from `active` to done, to `queued`
 * again (`retry`, `release`, or the process ended) or to dead (`bury`, or the process ended with no attempt left).
 * A command moves dead jobs back to `queued`.
 */
export type JobEngine = {
  enqueue(tx: Transaction, job: NewJob): Promise<'queued' | 'duplicate'>;
  /** Once, before the first take of a process that works jobs. */
  begin(): Promise<void>;
  /** Hands over each job as soon as it is taken: a failure further on must not lose those that came before. */
  take(free: readonly FreeSlots[]): AsyncIterable<TakenJob>;
  complete(job: TakenJob): Promise<void>;
  retry(job: TakenJob, delayMs: number, error: string): Promise<void>;
  bury(job: TakenJob, error: string): Promise<void>;
  /** Gives the job back as if it had not been taken. */
  release(job: TakenJob): Promise<void>;
  /** Says at this pace that jobs are still at work, and answers those that are no longer held by this process. */
  heartbeat: { everyMs: number; touch(jobs: readonly TakenJob[]): Promise<TakenJob[]> } | null;
  dead: DeadJobs;
  count(): Promise<JobCounts>;
  close(): Promise<void>;
};

export const DEAD_KEPT_MS = 30 * 24 * 3_600_000;

/** The last error of a job whose process was killed or crashed under it. */
export const PROCESS_ENDED = 'The process ended while the job was running.';
