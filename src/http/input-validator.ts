import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import type { FastifySchemaCompiler } from 'fastify';
import type { TSchema } from 'typebox';

const createAjv = (coerceTypes: boolean | 'array'): Ajv => {
  const ajv = new Ajv({ coerceTypes, useDefaults: true, removeAdditional: false, allErrors: false });
  addFormats.default(ajv, ['email', 'date-time', 'uuid', 'uri']);
  return ajv;
};

/** A body is taken as it is: nothing is dropped or converted in silence. Addresses are text and must be converted. */
export const createInputValidator = (): FastifySchemaCompiler<TSchema> => {
  const ofBody = createAjv(false);
  const ofText = createAjv('array');
  return ({ schema, httpPart }) => (httpPart === 'body' ? ofBody : ofText).compile(schema);
};
