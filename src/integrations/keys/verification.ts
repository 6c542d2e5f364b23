const DAY_MS = 24 * 3_600_000;
const HOUR_MS = 3_600_000;

/** A little less than a day later, so that keys that were entered together aren't verified together for good. */
export const nextVerificationAt = (now: number, random: number): number =>
  Math.round(now + DAY_MS * (0.9 + 0.1 * random));

/** While the provider is away: an hour later or so, or when it says. */
export const retryVerificationAt = (now: number, retryAfterMs: number | null, random: number): number =>
  Math.round(now + Math.max(HOUR_MS * (0.8 + 0.4 * random), retryAfterMs ?? 0));
