import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { responseOf } from './entry.ts';
import type { Grant, IssuedToken, Kind, SimulatedProvider } from './simulated-provider.ts';

const DAY_MS = 24 * 3_600_000;
const HOUR_S = 3_600;

/** With characters that real tokens have and that careless encoding breaks. */
export const makeSecret = (what: string): string => `${what}/${randomBytes(12).toString('hex')}+~=`;

const makeJwt = (expiresAt: number): string =>
  [
    { alg: 'RS256', typ: 'JWT' },
    { sub: randomBytes(8).toString('hex'), exp: Math.floor(expiresAt / 1_000) },
    'unsigned',
  ]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');

export const endToken = (token: IssuedToken | undefined, from: number, why: string): void => {
  // The first end counts: a second use doesn't extend the grace window.
  if (!token || (token.deadFrom !== null && token.deadFrom <= from)) return;
  token.deadFrom = from;
  token.why = why;
};

export const endGrant = (grant: Grant, now: number, why: string): void => {
  for (const token of [...grant.access, ...grant.refresh]) endToken(token, now, why);
};

/** Why the token doesn't work, or null if it does. */
export const whyDead = (token: IssuedToken | undefined, now: number): string | null => {
  if (!token) return 'the token is unknown';
  if (token.deadFrom !== null && token.deadFrom <= now) return token.why;
  return token.expiresAt !== null && token.expiresAt <= now ? 'the token has expired' : null;
};

/** How many seconds an access token works. Null: forever, and the response doesn't say. */
const lifetimeOf = ({ record, quirks }: SimulatedProvider, kind: Kind): number | null => {
  if (quirks.expiresIn !== undefined) return quirks.expiresIn;
  const { defaultExpiresIn, expiresIn, expiresAt, expiryFromJwt } = responseOf(record, kind);
  if (defaultExpiresIn) return defaultExpiresIn;
  if (!record.refresh && !expiresIn && !expiresAt && !expiryFromJwt) return null;
  return Math.max(HOUR_S, 2 * (record.refresh?.leastAgeSeconds ?? 0));
};

const newToken = (value: string, issuedAt: number, expiresAt: number | null): IssuedToken => ({
  value,
  issuedAt,
  expiresAt,
  deadFrom: null,
  why: '',
});

/** A new access token, and a new refresh token if this kind of request issues one. Returns what is new. */
export const issueTokens = (
  provider: SimulatedProvider,
  kind: Kind,
  grant: Grant,
  spent: IssuedToken | undefined,
  now: number,
) => {
  const { refresh, token } = provider.record;
  const seconds = lifetimeOf(provider, kind);
  const expiresAt = seconds === null ? null : now + seconds * 1_000;
  const isJwt = responseOf(provider.record, kind).expiryFromJwt === true && expiresAt !== null;
  const previous = grant.access.at(-1);
  const extended = kind === 'refresh' && refresh?.extended ? previous : undefined;
  const value = extended?.value ?? (isJwt ? makeJwt(expiresAt) : makeSecret('access'));
  const access = newToken(value, now, expiresAt);
  // A token that was upgraded or extended no longer works.
  if (previous && (kind === 'upgrade' || refresh?.with === 'access_token'))
    endToken(previous, now, 'a newer access token has taken its place');
  grant.access.push(access);
  grant.usedAt = now;

  const hasRefresh = refresh && refresh.with !== 'access_token';
  const isFirst = kind === 'upgrade' || (kind === 'token' && !token.upgrade);
  if (!hasRefresh || extended || (!isFirst && (kind === 'token' || refresh.rotates === 'never')))
    return { access, refresh: null };
  endToken(spent, now + (refresh.graceSeconds ?? 0) * 1_000, 'the refresh token was used before, and it rotates');
  const { absoluteDays, absoluteUnlessScope } = refresh;
  const isLifted = absoluteUnlessScope !== undefined && grant.scopes.includes(absoluteUnlessScope);
  const lasts = absoluteDays === undefined || isLifted ? null : grant.consentedAt + absoluteDays * DAY_MS;
  const fresh = newToken(makeSecret('refresh'), now, lasts);
  grant.refresh.push(fresh);
  return { access, refresh: fresh };
};

export type Issued = ReturnType<typeof issueTokens>;
