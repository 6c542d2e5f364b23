import type { Clock, Database, Log, NewId, Pause, Secret } from '../platform/index.ts';
import type { JobOutcome } from './settle-job.ts';

export type JobsContext = {
  database: Database;
  /** For pg-boss, which has its own connections. Not used on SQLite. */
  databaseUrl: Secret | null;
  clock: Clock;
  newId: NewId;
  log: Log;
  /** While it lasts, only jobs that contact nobody are taken. */
  pause?: Pick<Pause, 'read'>;
  onFinished?(name: string, outcome: JobOutcome, ms: number): void;
  /** How soon a job is noticed that another process enqueued, or that is now due. */
  pollMs?: number;
};
