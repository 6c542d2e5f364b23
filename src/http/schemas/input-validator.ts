import { Ajv, type ErrorObject } from 'ajv';
import addFormats from 'ajv-formats';
import type { FastifySchemaCompiler } from 'fastify';
import type { TSchema } from 'typebox';
import { compileLater } from './compile-later.ts';

/**
 * Verbose: a refusal quotes what the schema says that it expects. What was sent is not quoted. The schemas are our own and
 * typed: they are not held against the schema of schemas, which would have to be compiled first.
 */
const createAjv = (coerceTypes: boolean | 'array'): Ajv => {
  const trusting = { validateSchema: false, meta: false };
  const strict = { removeAdditional: false, allErrors: false, verbose: true } as const;
  const ajv = new Ajv({ coerceTypes, useDefaults: true, ...strict, ...trusting });
  addFormats.default(ajv, ['email', 'date-time', 'uuid', 'uri']);
  return ajv;
};

/** `1e400` is taken for a number without end, which no bound of a schema refuses. */
const findEndless = (data: unknown): string | undefined =>
  Object.entries(data ?? {}).find(([, value]) => typeof value === 'number' && !Number.isFinite(value))?.[0];

const endlessError = (name: string): ErrorObject => ({
  instancePath: `/${name}`,
  schemaPath: '#/type',
  keyword: 'type',
  params: {},
  message: 'must be a finite number',
});

/**
 * A body is taken as it is: nothing is dropped or converted in silence. Addresses are text and must be converted.
 * Schemas are compiled later: all of them at once would be a quarter of the time to start.
 */
export const createInputValidator = (): FastifySchemaCompiler<TSchema> => {
  const ofBody = createAjv(false);
  const ofText = createAjv('array');
  return ({ schema, httpPart }) => {
    const getCompiled = compileLater(() => (httpPart === 'body' ? ofBody : ofText).compile(schema));
    const validate: { (data: unknown): boolean; errors?: ErrorObject[] | null } = (data) => {
      const compiled = getCompiled();
      const fits = compiled(data);
      const endless = fits ? findEndless(data) : undefined;
      validate.errors = endless === undefined ? (compiled.errors ?? null) : [endlessError(endless)];
      return fits && endless === undefined;
    };
    return validate;
  };
};
