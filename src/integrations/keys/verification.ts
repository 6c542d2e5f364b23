const DAY_MS = 24 * 3_600_000;
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
/** The longest time until a key's next verification. A later time was written while the clock was ahead. */
export const MOST_WAIT_MS = DAY_MS + HOUR_MS;
const AGAIN_AFTER_MS = [5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS];

export const isVerificationDue = (dueAt: number, now: number): boolean => dueAt <= now || dueAt > now + MOST_WAIT_MS;

/**
 * When to verify a key next: a little less than a day from now. The time is random, to spread out keys that were
 * entered at the same time.
 */
export const nextVerificationAt = (now: number, random: number): number =>
  Math.round(now + DAY_MS * (0.9 + 0.1 * random));

/** When to try again if the provider is unavailable: in about an hour, or later if the provider asks for that. */
export const retryVerificationAt = (now: number, retryAfterMs: number | null, random: number): number =>
  Math.round(now + Math.max(HOUR_MS * (0.8 + 0.4 * random), retryAfterMs ?? 0));

/** When to verify a rejected key again: soon, in case the provider was mistaken, and then less and less often. */
export const retryRejectedAt = (now: number, rejectedSince: number, random: number): number => {
  const share = 0.9 + 0.1 * random;
  const waitMs = AGAIN_AFTER_MS.find((ms) => now - rejectedSince < 0.9 * ms) ?? DAY_MS;
  return Math.round(now + waitMs * share);
};
