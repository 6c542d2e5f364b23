import { DatabaseUnavailable, type InputError, Refusal } from '../platform/index.ts';
import * as refusals from './errors.ts';

export const PROBLEM_TYPE = 'application/problem+json';

const TITLES: Record<number, string> = {
  400: 'Bad request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not found',
  405: 'Method not allowed',
  408: 'Request timeout',
  409: 'Conflict',
  410: 'Gone',
  413: 'Content too large',
  414: 'URI too long',
  415: 'Unsupported media type',
  417: 'Expectation failed',
  429: 'Too many requests',
  431: 'Request header fields too large',
  500: 'Internal server error',
  503: 'Service unavailable',
};

/** RFC 9457. */
export const problemBody = ({ status, code, message, errors }: Refusal, requestId: string): string =>
  JSON.stringify({
    type: 'about:blank',
    title: TITLES[status] ?? 'Refused',
    status,
    code,
    detail: message,
    requestId,
    ...(errors ? { errors } : {}),
  });

type FastifyLikeError = Error & {
  code?: string;
  statusCode?: number;
  validationContext?: string;
  validation?: { instancePath: string; message?: string; params?: Record<string, unknown> }[];
};

/** Where the schema says no: `body.name`, `querystring.limit`. An unknown property is named itself. */
const toInputError = (
  context: string,
  { instancePath, message, params }: NonNullable<FastifyLikeError['validation']>[number],
): InputError => {
  const extra = params?.['additionalProperty'] ?? params?.['missingProperty'];
  const path = [context, ...instancePath.split('/').filter(Boolean), ...(typeof extra === 'string' ? [extra] : [])];
  return {
    path: path.join('.'),
    message: params?.['additionalProperty'] ? 'is not known here' : (message ?? 'is not valid'),
  };
};

const BY_FASTIFY_CODE: Record<string, () => Refusal> = {
  FST_ERR_CTP_BODY_TOO_LARGE: refusals.bodyTooLarge,
  FST_ERR_CTP_INVALID_MEDIA_TYPE: refusals.unsupportedMediaType,
};

/** What the outside is told of anything that was thrown. Undefined means a bug: the log has it, the caller does not. */
export const toRefusal = (error: unknown): Refusal | undefined => {
  if (error instanceof Refusal) return error;
  if (error instanceof DatabaseUnavailable) return refusals.databaseAway();
  if (!(error instanceof Error)) return undefined;
  const { code = '', statusCode = 500, validation, validationContext = 'body' }: FastifyLikeError = error;
  if (validation) return refusals.invalidInput(validation.map((failure) => toInputError(validationContext, failure)));
  const known = BY_FASTIFY_CODE[code];
  if (known) return known();
  return statusCode >= 400 && statusCode < 500 ? refusals.badRequest('The request cannot be read.') : undefined;
};
