import type { Clock, Database, Log, NewId, Pause, Tracing } from '../platform/index.ts';
import type { JobOutcome } from './settle-job.ts';

export type JobsContext = {
  database: Database;
  clock: Clock;
  newId: NewId;
  log: Log;
  /** While the service is paused, only jobs that contact nobody are taken. */
  pause?: Pick<Pause, 'read'>;
  /** Makes each attempt a span, if spans are exported. */
  tracing?: Pick<Tracing, 'tracer'>;
  onFinished?(name: string, outcome: JobOutcome, ms: number): void;
  /** How often to look for jobs that another process enqueued, or that have become due. */
  pollMs?: number;
};
