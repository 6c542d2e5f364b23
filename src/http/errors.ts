import { type InputError, Refusal } from '../platform/index.ts';

/** The endpoint wants a credential that the request does not carry, or that is not valid. */
export const unauthorized = (wanted: string, error?: 'invalid_token'): Refusal =>
  new Refusal(
    401,
    'http.unauthorized',
    `${error ? 'The credential is unknown, has expired or was revoked. ' : ''}This endpoint needs ${wanted}.`,
    {
      headers: { 'www-authenticate': `Bearer realm="patchbay"${error ? `, error="${error}"` : ''}` },
    },
  );

export const adminOnly = (): Refusal => new Refusal(403, 'http.admin_only', 'Only an admin of the team may do this.');

export const csrfMissing = (): Refusal =>
  new Refusal(
    403,
    'http.csrf',
    'A request with a session cookie must carry its CSRF token: header "x-csrf-token" or form field "_csrf". Programs, and /docs, use an access token instead.',
  );

export const notFound = (): Refusal => new Refusal(404, 'http.not_found', 'There is nothing at this address.');

export const methodNotAllowed = (allow: string): Refusal =>
  new Refusal(405, 'http.method_not_allowed', `This address takes ${allow}.`, { headers: { allow } });

export const uriTooLong = (): Refusal => new Refusal(414, 'http.uri_too_long', 'The address is longer than 8 KiB.');

export const bodyTooLarge = (): Refusal =>
  new Refusal(
    413,
    'http.body_too_large',
    'The body is larger than this endpoint takes: 1 MiB of JSON, 256 KiB for webhooks.',
  );

export const unsupportedMediaType = (): Refusal =>
  new Refusal(
    415,
    'http.unsupported_media_type',
    'This endpoint does not take that content type. Send JSON as "application/json".',
  );

export const badRequest = (message: string): Refusal => new Refusal(400, 'http.bad_request', message);

export const invalidInput = (errors: InputError[]): Refusal =>
  new Refusal(400, 'http.invalid_input', 'The request does not fit the schema: see "errors".', { errors });

export const rateLimited = (retryAfterSeconds: number): Refusal =>
  new Refusal(429, 'http.rate_limited', 'Too many requests: wait as long as "Retry-After" says.', {
    headers: { 'retry-after': String(retryAfterSeconds) },
  });

export const databaseAway = (): Refusal =>
  new Refusal(503, 'http.database_away', 'The database cannot be reached now: try again shortly.', {
    headers: { 'retry-after': '2' },
  });

export const tookTooLong = (): Refusal =>
  new Refusal(503, 'http.took_too_long', 'The request was not finished within 15 seconds.', {
    headers: { 'retry-after': '5' },
  });

export const internalError = (): Refusal =>
  new Refusal(500, 'http.internal', 'Something went wrong here. The log has it under the request id.');
