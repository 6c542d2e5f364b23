/**
 * Work that is done after the response, again after a failure, or at a pace. One contract over two engines: a table on
 * SQLite, pg-boss on PostgreSQL (docs/decisions/005-jobs-two-engines.md).
 *
 * A job is enqueued inside the caller's transaction and runs at least once, so a handler must bear to run twice. In a
 * handler a throw means retry, with a delay that doubles, until the attempts are used up; `Discard` means stop. Both
 * end among the dead, where the job is kept for thirty days with its last error until a command retries it. A payload
 * names things by their ids: it is readable to whoever reads the database, so a secret never enters it.
 */
export { Discard, type JobContext } from './attempt-job.ts';
export type { JobsContext } from './context.ts';
export { jobCommands } from './job-commands.ts';
export { defineJob } from './job-definition.ts';
export { createJobs, type EnqueueOptions, type Jobs } from './jobs.ts';
