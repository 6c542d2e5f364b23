import { AsyncLocalStorage } from 'node:async_hooks';
import { Refusal } from '../refusal.ts';

/** Whose work it is, and whether anyone waits for it. */
export type Work = {
  owner: string;
  /** Nobody waits for the result anymore. */
  isAbandoned(): boolean;
  /** It waits for somebody else from now on, so its owner may begin something else meanwhile. */
  stepAside(): void;
};

/** Process-wide, because the code that queues work is far from the code that knows whose work it is. */
const current = new AsyncLocalStorage<Work>();

/** The service's own work, including webhooks. */
export const OWN = '';
/** Jobs share a lane, so that a call never waits for all of them. */
export const JOBS = 'jobs';
/** So does sending events, so that neither a call nor a job waits for thousands of endpoints. */
export const SENDING = 'sending';

const LASTING: Work = { owner: OWN, isAbandoned: () => false, stepAside: () => undefined };

export const currentWork = (): Work => current.getStore() ?? LASTING;

/** Whether the service does it by itself, rather than for someone who asked. */
export const isOwnWork = (): boolean => [OWN, JOBS, SENDING].includes(currentWork().owner);

/**
 * Everything `work` waits for, now or later, waits in this owner's lane. With only an owner, it is done to the end even
 * if whoever asked for it leaves: for work that has effects, or whose result others share.
 */
export const workFor = <Result>(whose: string | Work, work: () => Result): Result =>
  current.run(typeof whose === 'string' ? { ...LASTING, owner: whose } : whose, work);

/** Nobody gets this response. The status is the one that other servers log for it. */
export const callerGone = (): Refusal =>
  new Refusal(499, 'http.caller_gone', 'The connection was closed before there was a response.');

/**
 * For between two pieces of a long read: ends it if nobody waits for it anymore. It isn't done before every statement,
 * because what others share, or what has begun to change something, must not stop halfway.
 */
export const stopIfAbandoned = (): void => {
  if (currentWork().isAbandoned()) throw callerGone();
};

/** For before a wait that takes none of our time, such as for a provider. */
export const stepAside = (): void => currentWork().stepAside();
