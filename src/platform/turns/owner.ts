import { AsyncLocalStorage } from 'node:async_hooks';
import { Refusal } from '../refusal.ts';

/** Work that someone waits for, and whose it is. */
export type Work = {
  owner: string;
  /** Whether nobody waits for the result anymore. */
  isAbandoned(): boolean;
  /** Ends the work's turn early, because it waits for somebody else from now on. */
  stepAside(): void;
};

/** Process-wide, because the code that queues work is far from the code that knows whose work it is. */
const current = new AsyncLocalStorage<Work>();

/** The service's own work, including webhooks. */
export const OWN = '';
/** All jobs are one owner, so that a call never waits for all of them. */
export const JOBS = 'jobs';
/** Sending events is one owner, so that neither a call nor a job waits for thousands of endpoints. */
export const SENDING = 'sending';

const LASTING: Work = { owner: OWN, isAbandoned: () => false, stepAside: () => undefined };

export const currentWork = (): Work => current.getStore() ?? LASTING;

/** Whether the current work is the service's own, and nobody asked for it. */
export const isOwnWork = (): boolean => [OWN, JOBS, SENDING].includes(currentWork().owner);

/**
 * Runs `work`, and everything it waits for later, in this owner's turns. With only an owner's name, the work is done to
 * the end even if the caller leaves: for work that has effects, or whose result others share.
 */
export const workFor = <Result>(whose: string | Work, work: () => Result): Result =>
  current.run(typeof whose === 'string' ? { ...LASTING, owner: whose } : whose, work);

/** Refuses a caller who has left. Other servers log the same status. */
export const callerGone = (): Refusal =>
  new Refusal(499, 'http.caller_gone', 'The connection was closed before there was a response.');

/**
 * Ends a long read between two of its pieces if nobody waits for it anymore. Not called before every statement, because
 * what others share, or what has begun to change something, must not stop halfway.
 */
export const stopIfAbandoned = (): void => {
  if (currentWork().isAbandoned()) throw callerGone();
};

/** Ends the current turn before a wait that takes none of our time, such as for a provider. */
export const stepAside = (): void => currentWork().stepAside();
