/**
 * Work that runs after the response, again after a failure, or on a schedule. The queue is a table, on both engines
 * (docs/decisions/005-jobs-one-table.md).
 *
 * A job is enqueued in the caller's transaction and runs at least once, so handlers must tolerate running twice. If a
 * handler throws, the job is retried, with a delay that doubles, until its attempts are used up. If it throws
 * `Discard`, the job isn't retried. Either way, the failed job is kept for thirty days with its last error, and a
 * command can retry it. A payload contains ids and never a secret, because anyone who can read the database can read
 * it.
 */
export { ARCHIVED_JOBS, readArchivedJobs } from './archived-jobs.ts';
export { Discard, type JobContext } from './attempt-job.ts';
export type { JobsContext } from './context.ts';
export { jobCommands } from './job-commands.ts';
export { defineJob } from './job-definition.ts';
export { createJobs, type EnqueueOptions, type Jobs } from './jobs.ts';
