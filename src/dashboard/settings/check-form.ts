import type { FastifyRequest } from 'fastify';
import type { Static, TSchema } from 'typebox';
import { Refusal } from '../../platform/index.ts';

/**
 * Checks a form with the same schema as the API's body. `explain` returns the message for an invalid value at a path
 * like `['retention', 'payloadDays']`.
 */
export const checkForm = <Schema extends TSchema>(
  request: Pick<FastifyRequest, 'compileValidationSchema'>,
  schema: Schema,
  input: unknown,
  explain: (place: readonly string[]) => string,
): Static<Schema> => {
  const validate = request.compileValidationSchema(schema, 'body');
  if (validate(input)) return input as Static<Schema>;
  const [flaw] = validate.errors ?? [];
  const place = flaw?.instancePath.split('/').filter(Boolean) ?? [];
  throw new Refusal(400, 'dashboard.form_invalid', explain(place));
};
