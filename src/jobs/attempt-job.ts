import { JOBS, whenAborted, workFor } from '../platform/index.ts';
import type { JobDefinition } from './job-definition.ts';
import type { TakenJob } from './job-engine.ts';

/** Thrown by a handler if retrying is pointless. The job fails immediately, with this reason. */
export class Discard extends Error {
  override readonly name = 'Discard';
}

/** `signal` aborts when the job times out, when the process stops, and when another process has taken the job. */
export type JobContext = { attempt: number; jobId: string; signal: AbortSignal };

export type BoundHandler = {
  definition: JobDefinition;
  run(payload: unknown, context: JobContext): Promise<void>;
};

export type JobVerdict =
  | { kind: 'completed' }
  | { kind: 'failed'; error: string; final: boolean }
  | { kind: 'givenBack' }
  | { kind: 'lost' };

/** Ends an attempt for a reason that isn't the job's fault. */
export class CutShort extends Error {
  readonly kind: 'givenBack' | 'lost';

  constructor(kind: CutShort['kind'], message: string) {
    super(message);
    this.kind = kind;
  }
}

const MOST_CHARACTERS = 500;

/** Describes a failure for the job's row: one short line without the stack or NUL, which PostgreSQL refuses. */
export const describeJobFailure = (error: unknown): string => {
  if (!(error instanceof Error)) return 'Something other than an error was thrown.';
  const line = error.message.replace(/\p{Cc}+/gu, ' ').trim();
  return (line || error.name).slice(0, MOST_CHARACTERS).toWellFormed();
};

const judge = (reason: unknown): JobVerdict =>
  reason instanceof CutShort
    ? { kind: reason.kind }
    : { kind: 'failed', error: describeJobFailure(reason), final: reason instanceof Discard };

/**
 * Makes one attempt. It ends when its signal aborts, even if the handler ignores that. Such a handler keeps running,
 * but its result is ignored.
 */
export const attemptJob = async (
  { definition, run }: BoundHandler,
  { id, payload, attempt }: TakenJob,
  controller: AbortController,
): Promise<JobVerdict> => {
  const { signal } = controller;
  const tooLate = new Error(`The job did not finish within ${definition.timeoutMs} ms.`);
  const timer = setTimeout(() => controller.abort(tooLate), definition.timeoutMs);
  try {
    signal.throwIfAborted();
    await Promise.race([workFor(JOBS, () => run(payload, { attempt, jobId: id, signal })), whenAborted(signal)]);
    return { kind: 'completed' };
  } catch (error) {
    return judge(signal.aborted ? signal.reason : error);
  } finally {
    clearTimeout(timer);
  }
};
