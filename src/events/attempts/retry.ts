const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** How long to wait after the first failure, the second, and so on. Afterward, only a person can resend the event. */
const WAITS_MS = [
  ...[5 * SECOND_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 5 * HOUR_MS],
  ...[10 * HOUR_MS, 14 * HOUR_MS, 20 * HOUR_MS, 24 * HOUR_MS],
];
const MOST_RETRY_AFTER_MS = HOUR_MS;
/** Makes each wait longer at random, by up to a tenth, so that events that failed together aren't retried together. */
const JITTER = 0.1;

/** How long to wait after this many failed attempts, or null to give up. `random` is between 0 and 1. */
export const nextWaitMs = (failed: number, retryAfterMs: number | null, random: number): number | null => {
  const waitMs = WAITS_MS[failed - 1];
  if (waitMs === undefined) return null;
  return Math.round(Math.max(waitMs * (1 + JITTER * random), Math.min(retryAfterMs ?? 0, MOST_RETRY_AFTER_MS)));
};

/** Either seconds or a date (RFC 9110, section 10.2.3). */
export const parseRetryAfter = (text: string | undefined, now: number): number | null => {
  if (text === undefined) return null;
  const ms = /^\d{1,12}$/.test(text) ? Number(text) * SECOND_MS : Date.parse(text) - now;
  return Number.isNaN(ms) ? null : Math.max(0, ms);
};
