const DAY_MS = 24 * 3_600_000;
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
/** No key waits longer. A time further ahead was written while the clock was ahead. */
export const MOST_WAIT_MS = DAY_MS + HOUR_MS;
const AGAIN_AFTER_MS = [5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS];

export const isVerificationDue = (dueAt: number, now: number): boolean => dueAt <= now || dueAt > now + MOST_WAIT_MS;

/** A little less than a day later, so that keys that were entered together aren't verified together for good. */
export const nextVerificationAt = (now: number, random: number): number =>
  Math.round(now + DAY_MS * (0.9 + 0.1 * random));

/** While the provider is away: an hour later or so, or when it says. */
export const retryVerificationAt = (now: number, retryAfterMs: number | null, random: number): number =>
  Math.round(now + Math.max(HOUR_MS * (0.8 + 0.4 * random), retryAfterMs ?? 0));

/** The provider may have been mistaken, so a rejected key is verified again soon, then less and less often. */
export const retryRejectedAt = (now: number, rejectedSince: number, random: number): number => {
  const share = 0.9 + 0.1 * random;
  const waitMs = AGAIN_AFTER_MS.find((ms) => now - rejectedSince < 0.9 * ms) ?? DAY_MS;
  return Math.round(now + waitMs * share);
};
