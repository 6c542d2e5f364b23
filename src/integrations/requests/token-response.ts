import { decodeJwt } from 'jose/jwt/decode';
import { Secret } from '../../platform/index.ts';
import { pick, pickText } from '../catalogue/pick.ts';
import type { FullRecord, ResponseFields } from '../catalogue/provider.ts';
import { parseExactly } from './parse-exactly.ts';

/** A token response in one format, whichever provider sent it. */
export type Tokens = {
  accessToken: Secret;
  refreshToken: Secret | null;
  expiresAt: number | null;
  refreshExpiresAt: number | null;
  /** Null if the provider didn't say. */
  scopes: string[] | null;
  kept: Record<string, string>;
};

const DEFAULTS = {
  roots: [''],
  accessToken: ['access_token'],
  refreshToken: ['refresh_token'],
  scope: ['scope', 'scopes'],
  expiresIn: ['expires_in'],
  expiresAt: ['expires_at'],
  refreshExpiresIn: ['refresh_token_expires_in', 'x_refresh_token_expires_in', 'refresh_expires_in'],
} as const;

const ERROR_CODES = ['error', 'error.code', 'error.type', 'errorCode', 'code'];
/** A larger number is in milliseconds. In seconds, it would be the year 5138. */
const MILLISECONDS_FROM = 1e11;
const FURTHEST_MS = 100 * 365 * 24 * 3_600_000;
const MOST_KEPT_CHARACTERS = 2_000;

const MOST_FORM_FIELDS = 200;

/** Parses JSON or form data. Null for anything else. */
export const parseResponseBody = (body: string): unknown => {
  const text = body.trim();
  try {
    return parseExactly(text);
  } catch {
    const isForm =
      /^[\w.%+~-]+=[^\s<]*$/.test(text) && text.split('&', MOST_FORM_FIELDS + 1).length <= MOST_FORM_FIELDS;
    return isForm ? Object.fromEntries(new URLSearchParams(text)) : null;
  }
};

const toNumber = (text: string | null): number | null => {
  const number = text === null || text.trim() === '' ? Number.NaN : Number(text);
  return Number.isFinite(number) ? number : null;
};

/** Parses a time: seconds, milliseconds or ISO 8601. */
export const parseInstant = (text: string | null): number | null => {
  const number = toNumber(text);
  if (number !== null) return number >= MILLISECONDS_FROM ? number : number * 1_000;
  // Treat a time without a zone as UTC. JavaScript would use the machine's own zone.
  const parsed = Date.parse(/T[\d:.]+$/.test(text ?? '') ? `${text}Z` : (text ?? ''));
  return Number.isNaN(parsed) ? null : parsed;
};

const expiryOfJwt = (token: string): number | null => {
  try {
    const { exp } = decodeJwt(token);
    return typeof exp === 'number' ? exp * 1_000 : null;
  } catch {
    return null;
  }
};

/** Turns a duration into a time. Null if the duration is zero, missing or invalid. */
const fromDuration = (text: string | null, unitMs: number, now: number): number | null => {
  const duration = toNumber(text);
  return duration !== null && duration > 0 ? now + Math.round(Math.min(duration * unitMs, FURTHEST_MS)) : null;
};

const inReach = (instant: number | null, now: number): number | null =>
  instant !== null && instant > 0 && instant < now + FURTHEST_MS ? instant : null;

const SCOPE = /^[\x21-\x7e]{1,300}$/;
const MOST_SCOPES = 500;

const readScopes = (value: unknown): string[] | null => {
  if (!Array.isArray(value) && typeof value !== 'string') return null;
  const parts: unknown[] = Array.isArray(value) ? value.slice(0, MOST_SCOPES) : value.split(/[\s,]+/, MOST_SCOPES);
  return parts.filter((part) => typeof part === 'string').filter((part) => SCOPE.test(part));
};

const firstScopes = (root: unknown, paths: readonly string[]): string[] | null =>
  paths.map((path) => readScopes(pick(root, path))).find((scopes) => scopes !== null) ?? null;

/** Reads the values to keep, by our names. A value that is missing, too long or not plain text isn't kept. */
export const readKept = (response: unknown, keep: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(keep).flatMap(([name, path]) => {
      const value = pickText(response, [path]);
      const keepable = value !== null && value.length <= MOST_KEPT_CHARACTERS && !/\p{Cc}|\p{Cs}/u.test(value);
      return keepable ? [[name, value]] : [];
    }),
  );

/** Whether the response is a refusal, because its `okField` is false. */
const saysNo = (response: unknown, { errors }: FullRecord): boolean =>
  errors?.okField !== undefined && pick(response, errors.okField) === false;

export const errorCodeOf = (response: unknown, record: FullRecord): string | null =>
  pickText(response, record.errors?.code ?? ERROR_CODES) ?? (saysNo(response, record) ? 'unnamed' : null);

/** Whether the response says that the current tokens have been extended. */
const saysExtended = (response: unknown, { refresh }: FullRecord): boolean =>
  refresh?.extended !== undefined &&
  Object.entries(refresh.extended).every(([path, text]) => pickText(response, [path]) === text);

/**
 * Reads the tokens in a response. `fields` are their paths for this request. `held` is the current access token, which
 * the response may have extended. Null if there are no tokens.
 */
export const readTokens = (
  record: FullRecord,
  fields: ResponseFields | undefined,
  response: unknown,
  now: number,
  held: Secret | null = null,
): Tokens | null => {
  const where = { ...DEFAULTS, ...fields };
  const roots = where.roots.map((path) => pick(response, path));
  const found = roots.find((candidate) => pickText(candidate, where.accessToken) !== null);
  const extended = found === undefined && saysExtended(response, record) ? held : null;
  const root = found ?? roots[0];
  const accessToken = pickText(found, where.accessToken) ?? extended?.reveal() ?? null;
  if (accessToken === null || saysNo(response, record)) return null;

  const unitMs = where.expiresUnit === 'milliseconds' ? 1 : 1_000;
  const expiresAt =
    fromDuration(pickText(root, where.expiresIn), unitMs, now) ??
    inReach(parseInstant(pickText(root, where.expiresAt)), now) ??
    inReach(where.expiryFromJwt ? expiryOfJwt(accessToken) : null, now) ??
    (where.defaultExpiresIn ? now + where.defaultExpiresIn * 1_000 : null);
  const refreshToken = pickText(root, where.refreshToken);
  return {
    accessToken: new Secret(accessToken),
    refreshToken: refreshToken === null ? null : new Secret(refreshToken),
    expiresAt: expiresAt === null ? null : Math.round(expiresAt),
    refreshExpiresAt: fromDuration(pickText(root, where.refreshExpiresIn), unitMs, now),
    scopes: firstScopes(root, where.scope),
    kept: readKept(response, where.keep ?? {}),
  };
};
