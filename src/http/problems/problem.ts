import { STATUS_CODES } from 'node:http';
import type { FastifyRequest } from 'fastify';
import {
  DatabaseUnavailable,
  DiskFull,
  type InputError,
  Refusal,
  SetupIncomplete,
  sayPatternFlaw,
} from '../../platform/index.ts';
import * as refusals from '../errors.ts';

export const PROBLEM_TYPE = 'application/problem+json';
/**
 * `patchbay-from` tells callers of the proxy that this response isn't the provider's. All problems have it, because a
 * request may be refused before its route is known.
 */
export const PROBLEM_HEADERS = { 'content-type': PROBLEM_TYPE, 'patchbay-from': 'patchbay' } as const;

/** The status in words. Node has an older name for 413 than RFC 9110. */
const titleOf = (status: number): string =>
  status === 413
    ? 'Content too large'
    : (STATUS_CODES[status] ?? 'Refused').replace(/ [A-Z]/g, (initial) => initial.toLowerCase());

/** These limit the length of a problem, because each error contains the path of a field, which the sender chose. */
const MOST_ERRORS = 20;
const MOST_PATH_CHARACTERS = 200;

/** The parts of a request that have been read so far. */
type Sent = Partial<Pick<FastifyRequest, 'method' | 'params' | 'body' | 'query'>>;

/** Finds the part of the request that an error is about, for errors that don't say so. */
const findPlace = ({ method = 'POST', params, body, query }: Sent, path: string): string => {
  const [first = ''] = path.split('.');
  const found = Object.entries({ params, body, query }).find(([, values]) =>
    [first, path].some((name) => Object.hasOwn(Object(values), name)),
  );
  return found?.[0] ?? (/^(?:GET|HEAD|DELETE)$/.test(method) ? 'query' : 'body');
};

const placeErrors = (errors: readonly InputError[], sent: Sent) =>
  errors.slice(0, MOST_ERRORS).map(({ place, path, message }) => {
    const whole = [place ?? findPlace(sent, path), path].filter(Boolean).join('.');
    return { path: whole.slice(0, MOST_PATH_CHARACTERS), message };
  });

/** Prints a problem (RFC 9457). */
export const problemBody = (
  { status, code, message, errors, members }: Refusal,
  requestId: string,
  sent: Sent = {},
): string =>
  JSON.stringify({
    type: 'about:blank',
    title: titleOf(status),
    status,
    code,
    detail: message,
    requestId,
    ...(errors ? { errors: placeErrors(errors, sent) } : {}),
    ...members,
  });

type FastifyLikeError = Error & {
  code?: string;
  statusCode?: number;
  validationContext?: string;
  validation?: InputFlaw[];
};

/** What the validator says about one value. */
type InputFlaw = {
  instancePath: string;
  keyword?: string;
  message?: string;
  params?: Record<string, unknown>;
  parentSchema?: { pattern?: string; description?: string };
};

const FORMATS: Readonly<Record<string, string>> = {
  email: 'an email address',
  'date-time': 'a time like 2026-11-15T12:00:00Z',
  uuid: 'a UUID',
  uri: 'a URL like https://example.com/',
};

/** Describes a flaw for the person who has to fix it. The validator's own messages don't say what a rule is for. */
const sayFlaw = ({ keyword, message, params = {}, parentSchema }: InputFlaw): string => {
  const { allowedValues, format } = params;
  switch (keyword) {
    case 'additionalProperties':
      return 'is not a known field';
    case 'required':
      return 'is missing';
    case 'enum':
      return Array.isArray(allowedValues) ? `must be one of ${allowedValues.join(', ')}` : 'is not an allowed value';
    case 'format':
      return `must be ${FORMATS[String(format)] ?? `in the "${format}" format`}`;
    case 'pattern':
      return sayPatternFlaw(parentSchema);
    default:
      return message ?? 'is not valid';
  }
};

/** Names the field that doesn't match the schema, even if it's unknown or missing. */
const toInputError = (context: string, flaw: InputFlaw): InputError => {
  const { instancePath, params } = flaw;
  const extra = params?.['additionalProperty'] ?? params?.['missingProperty'];
  const path = [...instancePath.split('/').filter(Boolean), ...(typeof extra === 'string' ? [extra] : [])];
  return { place: context === 'querystring' ? 'query' : context, path: path.join('.'), message: sayFlaw(flaw) };
};

const BY_FASTIFY_CODE: Record<string, () => Refusal> = {
  FST_ERR_CTP_BODY_TOO_LARGE: refusals.bodyTooLarge,
  FST_ERR_CTP_INVALID_MEDIA_TYPE: refusals.unsupportedMediaType,
};

/** Turns a thrown error into what the caller may know. Undefined for a bug, which only the log shows. */
export const toRefusal = (error: unknown): Refusal | undefined => {
  if (error instanceof Refusal) return error;
  if (error instanceof DiskFull) return refusals.diskFull();
  if (error instanceof DatabaseUnavailable) return refusals.databaseAway();
  if (error instanceof SetupIncomplete) return refusals.keyMissing();
  if (!(error instanceof Error)) return undefined;
  const { code = '', statusCode = 500, validation, validationContext = 'body' }: FastifyLikeError = error;
  if (validation) return refusals.invalidInput(validation.map((failure) => toInputError(validationContext, failure)));
  const known = BY_FASTIFY_CODE[code];
  if (known) return known();
  return statusCode >= 400 && statusCode < 500 ? refusals.badRequest('The request is malformed.') : undefined;
};
