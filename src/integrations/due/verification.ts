import { type Connection, hasExpired, TOKEN_REFUSED } from '../connections/connection.ts';

const DAY_MS = 24 * 3_600_000;
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const WEEK_MS = 7 * DAY_MS;
/** The longest time until a connection's next verification. A later time was written while the clock was ahead. */
export const MOST_WAIT_MS = DAY_MS + HOUR_MS;
const AGAIN_AFTER_MS = [5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS];

export const isVerificationDue = (dueAt: number, now: number): boolean => dueAt <= now || dueAt > now + MOST_WAIT_MS;

/**
 * When to verify a connection next: a little less than a day from now. The time is random, to spread out connections
 * that were made at the same time.
 */
export const nextVerificationAt = (now: number, random: number): number =>
  Math.round(now + DAY_MS * (0.9 + 0.1 * random));

/** When to try again if the provider is unavailable: in about an hour, or later if the provider asks for that. */
export const retryVerificationAt = (now: number, retryAfterMs: number | null, random: number): number =>
  Math.round(now + Math.max(HOUR_MS * (0.8 + 0.4 * random), retryAfterMs ?? 0));

/** When to verify a rejected connection again: soon, in case the provider was mistaken, and then less and less often. */
export const retryRejectedAt = (now: number, rejectedSince: number, random: number): number => {
  const share = 0.9 + 0.1 * random;
  const waitMs = AGAIN_AFTER_MS.find((ms) => now - rejectedSince < 0.9 * ms) ?? DAY_MS;
  return Math.round(now + waitMs * share);
};

type Times = Pick<
  Connection,
  'usedAt' | 'refreshedAt' | 'handedOutAt' | 'verifiedAt' | 'connectedAt' | 'renewedAt' | 'verifyDueAt'
>;
type Standing = Pick<Connection, 'status' | 'reason' | 'expiresAt' | 'refreshDueAt' | 'refreshBegunAt'>;
type Token = Times & Standing;

/** Whether the provider has refused the token: the last time it was verified, or through the proxy since then. */
const isDoubted = ({ renewedAt, verifyDueAt, reason }: Token): boolean =>
  reason === TOKEN_REFUSED || (renewedAt !== null && verifyDueAt !== null && renewedAt >= verifyDueAt);

/**
 * When a connection was last used or refreshed, so that nobody has to ask whether it works. Null if it wasn't, or if it
 * was refused since. A hand-out counts, too, but for a week at most: nobody tells us whether a token that was handed
 * out still works.
 */
const lastUse = (connection: Token, now: number): number | null => {
  if (isDoubted(connection)) return null;
  const { usedAt, refreshedAt, handedOutAt, verifiedAt, connectedAt } = connection;
  const past = (...times: (number | null)[]): number =>
    Math.max(0, ...times.filter((time) => time !== null && time <= now).map(Number));
  const shown = past(usedAt, refreshedAt, verifiedAt, connectedAt);
  const last = past(usedAt, refreshedAt, now - shown < WEEK_MS ? handedOutAt : null);
  return last === 0 ? null : last;
};

/**
 * Whether asking about a token shows anything. Not if the connection has ended, the token has expired, or a refresh is
 * due or in progress, which shows more.
 */
const isTelling = (token: Standing, now: number): boolean => {
  const { status, reason, refreshDueAt, refreshBegunAt } = token;
  if (status === 'needs_reconnect' && reason !== TOKEN_REFUSED) return false;
  return !hasExpired(token, now) && refreshBegunAt === null && (refreshDueAt === null || refreshDueAt > now);
};

/**
 * When to look at a token that is due again, instead of asking about it now. Null if it has to be asked about. Tokens
 * that have been due for more than a day are spread out: the service was updated, paused, or not running.
 */
export const postponeUntil = (token: Token, now: number, random: number): number | null => {
  if (token.verifyDueAt !== null && now - token.verifyDueAt > DAY_MS) return Math.round(now + DAY_MS * random);
  const usedAt = lastUse(token, now);
  const after = usedAt === null ? now : nextVerificationAt(usedAt, random);
  if (after > now) return after;
  return isTelling(token, now) ? null : nextVerificationAt(now, random);
};
