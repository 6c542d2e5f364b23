import { type InputError, Refusal } from '../platform/index.ts';
import type { RouteRight } from './contract/restriction.ts';

const INVALID = 'The credential is unknown, expired, or revoked.';

/** The request has no credential, or one that isn't valid. `why` says what is wrong with it. */
export const unauthorized = (wanted: string, error?: 'invalid_token', why = INVALID): Refusal =>
  new Refusal(401, 'http.unauthorized', `${error ? `${why} ` : ''}This endpoint requires ${wanted}.`, {
    headers: { 'www-authenticate': `Bearer realm="patchbay"${error ? `, error="${error}"` : ''}` },
  });

/** Adds to a 401 where the resource's authorization is described, and the scope to ask for. */
export const withResource = (
  { status, code, message, headers }: Refusal,
  { metadata, scope }: { metadata: string; scope: string },
): Refusal =>
  new Refusal(status, code, message, {
    headers: {
      ...headers,
      'www-authenticate': `${headers['www-authenticate']}, resource_metadata="${metadata}", scope="${scope}"`,
    },
  });

/**
 * The Authorization header has another scheme or none. The message doesn't quote the header, because the text that
 * looks like a scheme may be the token.
 */
export const noBearer = (wanted: string): Refusal =>
  unauthorized(
    wanted,
    'invalid_token',
    'The "Authorization" header contains no bearer token. Use "Authorization: Bearer …".',
  );

/** Doesn't suggest an access token, because the holder is a customer's user, who can't get one. */
export const connectSessionEnded = (wanted: string): Refusal =>
  unauthorized(
    wanted,
    'invalid_token',
    'This connect session has ended. Request a new one from the product that created it.',
  );

export const adminOnly = (): Refusal => new Refusal(403, 'http.admin_only', 'Only a team admin can do this.');

export const customerTeamMissing = (): Refusal =>
  new Refusal(
    400,
    'operator.team_missing',
    'With the operator token, this endpoint requires a "Patchbay-Team" header with the key of a team.',
  );

export const customerHeaderRefused = (): Refusal =>
  new Refusal(
    400,
    'operator.header_refused',
    'The "Patchbay-Team" and "Patchbay-User" headers only work with the operator token.',
  );

export const connectSessionNarrow = (): Refusal =>
  new Refusal(
    403,
    'operator.session_narrow',
    "A connect session can't do this. It only connects, lists, and disconnects integrations.",
  );

export const connectSessionProvider = (): Refusal =>
  new Refusal(403, 'operator.session_provider', "This connect session doesn't include this provider.");

/** Names the right that a restricted token lacks. Null if no restricted token can use the route. */
const describeLack = (right: RouteRight | null): string => {
  if (right === null) return "A restricted token can't do this, whatever its rights.";
  if (right === 'allow') return 'This token has no "allow", which the proxy requires.';
  if (right === 'ask') return 'This token doesn\'t ask for approvals. A token with "writes": "ask" does.';
  return `This token doesn't have the right "${right}", which this endpoint requires.`;
};

export const tokenNotAllowed = (right: RouteRight | null): Refusal =>
  new Refusal(403, 'tokens.not_allowed', describeLack(right));

export const csrfMissing = (): Refusal =>
  new Refusal(
    403,
    'http.csrf',
    'Requests with a session cookie need its CSRF token in the "x-csrf-token" header or the "_csrf" form field. In programs and in /docs, use an access token instead.',
  );

export const foreignForm = (): Refusal =>
  new Refusal(403, 'http.foreign_form', 'This form was submitted from another site. Open it here and try again.');

export const notFound = (): Refusal => new Refusal(404, 'http.not_found', 'There is nothing at this address.');

export const methodNotAllowed = (allow: string, hint?: string): Refusal => {
  const message = `This address only accepts ${allow}.`;
  return new Refusal(405, 'http.method_not_allowed', hint ? `${message} ${hint}` : message, { headers: { allow } });
};

export const uriTooLong = (): Refusal => new Refusal(414, 'http.uri_too_long', 'The URL is longer than 8 KiB.');

export const bodyTooLarge = (): Refusal =>
  new Refusal(
    413,
    'http.body_too_large',
    'The body is too large. The limit is 1 MiB for JSON, 256 KiB for webhooks, and 16 KiB where anyone may send one.',
  );

export const lengthRequired = (): Refusal =>
  new Refusal(411, 'http.length_required', 'This endpoint requires a "Content-Length" header.');

export const tooManyBodies = (): Refusal =>
  new Refusal(503, 'http.too_many_bodies', 'Too many large requests are arriving right now. Try again shortly.', {
    headers: { 'retry-after': '2' },
  });

export const unsupportedMediaType = (): Refusal =>
  new Refusal(415, 'http.unsupported_media_type', 'Unsupported content type. Send JSON as "application/json".');

export const badRequest = (message: string): Refusal => new Refusal(400, 'http.bad_request', message);

export const invalidInput = (errors: InputError[]): Refusal =>
  new Refusal(400, 'http.invalid_input', 'The request is invalid. See "errors".', { errors });

export const rateLimited = (retryAfterSeconds: number): Refusal =>
  new Refusal(429, 'http.rate_limited', 'Too many requests. Try again after the number of seconds in "Retry-After".', {
    headers: { 'retry-after': String(retryAfterSeconds) },
  });

export const tooManyUnanswered = (most: number): Refusal =>
  new Refusal(
    429,
    'http.too_many_unanswered',
    `A connection can have ${most} requests without a response. Wait for one before you send the next.`,
    { headers: { 'retry-after': '1' } },
  );

export const databaseAway = (): Refusal =>
  new Refusal(503, 'http.database_away', "The database can't be reached right now. Try again shortly.", {
    headers: { 'retry-after': '2' },
  });

export const diskFull = (): Refusal =>
  new Refusal(
    503,
    'http.database_away',
    "The database's disk is full, so nothing can be changed right now. Its operator has to free up some space.",
    { headers: { 'retry-after': '5' } },
  );

/** A key is missing. The log says which one. */
export const keyMissing = (): Refusal =>
  new Refusal(
    503,
    'http.key_missing',
    'This process lacks a key that the database needs. Its operator has to add the key to PATCHBAY_KEYS and restart it.',
    { headers: { 'retry-after': '5' } },
  );

export const tookTooLong = (): Refusal =>
  new Refusal(503, 'http.took_too_long', 'The request timed out after 15 seconds.', {
    headers: { 'retry-after': '5' },
  });

export const internalError = (): Refusal =>
  new Refusal(500, 'http.internal', 'The server hit an unexpected error. The log has details under this request ID.');
