/** The result of sending one event to one endpoint. */
export type SendAttempt = {
  at: number;
  /** Null if there was no response. */
  status: number | null;
  durationMs: number;
  /** Why the attempt failed, for people. Null if the event was accepted. */
  error: string | null;
  /** How long the receiver asked us to wait. */
  retryAfterMs: number | null;
};

export const isAccepted = ({ error }: Pick<SendAttempt, 'error'>): boolean => error === null;

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/**
 * The waits after the first failure, the second, and so on. After the last wait, only a person can have the event sent
 * again.
 */
const WAITS_MS = [
  ...[5 * SECOND_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 5 * HOUR_MS],
  ...[10 * HOUR_MS, 14 * HOUR_MS, 20 * HOUR_MS, 24 * HOUR_MS],
];
const MOST_RETRY_AFTER_MS = HOUR_MS;
/** Up to this share of a wait is added at random, so that events that failed together aren't retried together. */
const JITTER = 0.1;

/** How long to wait after this many failed attempts, or null to give up. `random` is between 0 and 1. */
export const nextWaitMs = (failed: number, retryAfterMs: number | null, random: number): number | null => {
  const waitMs = WAITS_MS[failed - 1];
  if (waitMs === undefined) return null;
  return Math.round(Math.max(waitMs * (1 + JITTER * random), Math.min(retryAfterMs ?? 0, MOST_RETRY_AFTER_MS)));
};

const GONE = 410;

/** Whether the receiver responded that it wants no more events. */
export const isGone = ({ status }: SendAttempt): boolean => status === GONE;

/** After this long without a single success, an endpoint is turned off. */
export const FAILING_MS = 5 * 24 * HOUR_MS;
/** On how many days in that time an endpoint must have been tried. Retries alone happen on that many days. */
export const LEAST_DAYS_TRIED = 3;

/** Parses `Retry-After`, which is seconds or a date (RFC 9110, section 10.2.3). */
export const parseRetryAfter = (text: string | undefined, now: number): number | null => {
  if (text === undefined) return null;
  const ms = /^\d{1,12}$/.test(text) ? Number(text) * SECOND_MS : Date.parse(text) - now;
  return Number.isNaN(ms) ? null : Math.max(0, ms);
};
