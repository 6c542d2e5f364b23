import { AsyncLocalStorage } from 'node:async_hooks';
import { Refusal } from '../refusal.ts';
import type { Tracer } from '../tracing/span.ts';

/** Work that a caller waits for, and the owner of that work. */
export type Work = {
  owner: string;
  /** Whether nobody waits for the result anymore. */
  isAbandoned(): boolean;
  /** Frees the work's slot for others, because the work is about to wait for another service. */
  stepAside(): void;
  /** Begins spans of the work. Undefined if none are exported. */
  tracer?: Tracer;
};

/** The current work. Process-wide, because the code that queues work is far from the code that knows its owner. */
const current = new AsyncLocalStorage<Work>();

/** The owner of the service's own work, including webhooks. */
export const OWN = '';
/** The owner of all jobs. Owners take turns, so no request waits for all jobs. */
export const JOBS = 'jobs';
/** The owner of all sending of events, so that neither a request nor a job waits for thousands of endpoints. */
export const SENDING = 'sending';

const LASTING: Work = { owner: OWN, isAbandoned: () => false, stepAside: () => undefined };

export const currentWork = (): Work => current.getStore() ?? LASTING;

const isOurs = (owner: string): boolean => [OWN, JOBS, SENDING].includes(owner);

/** Whether the current work is the service's own, rather than a caller's. */
export const isOwnWork = (): boolean => isOurs(currentWork().owner);

/** The service's own work isn't a part of the caller's work that happened to start it, so it leaves the caller's trace. */
const lastingWorkFor = (owner: string): Work => {
  const { tracer } = currentWork();
  return { ...LASTING, owner, ...(tracer && !isOurs(owner) ? { tracer } : {}) };
};

/**
 * Runs `work`, and everything it awaits, for this owner. If `whose` is only a name, the work is done to the end even if
 * the caller leaves: for work that has effects, or whose result other callers share.
 */
export const workFor = <Result>(whose: string | Work, work: () => Result): Result =>
  current.run(typeof whose === 'string' ? lastingWorkFor(whose) : whose, work);

/** The refusal for a caller who has left. Other servers log 499, too. */
export const callerGone = (): Refusal =>
  new Refusal(499, 'http.caller_gone', 'The connection was closed before there was a response.');

/**
 * Ends a long read between two of its pieces if nobody waits for it anymore. Not called before every statement, because
 * work that callers share, or that has begun to change something, must not stop halfway.
 */
export const stopIfAbandoned = (): void => {
  if (currentWork().isAbandoned()) throw callerGone();
};

/** Frees the slot of the current work before a wait that needs none of our CPU time, such as for a provider. */
export const stepAside = (): void => currentWork().stepAside();
