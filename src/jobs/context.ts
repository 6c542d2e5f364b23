import type { Clock, Database, Log, NewId, Secret } from '../platform/index.ts';
import type { JobOutcome } from './settle-job.ts';

export type JobsContext = {
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
