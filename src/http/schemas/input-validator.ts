import { Ajv, type ErrorObject } from 'ajv';
import addFormats from 'ajv-formats';
import type { FastifySchemaCompiler } from 'fastify';
import type { TSchema } from 'typebox';
import { compileLater } from './compile-later.ts';

const dateTime = addFormats.default.get('date-time') as { validate: (text: string) => boolean };

/** Refuses a leap second, which fits the format, but not a `Date`. */
const isInstant = (text: string): boolean => dateTime.validate(text) && Number.isFinite(Date.parse(text));

/**
 * Uses `verbose`, so that an error can quote what the schema expects. What was sent isn't quoted. The schemas are our
 * own and typed, so they aren't validated against the meta-schema, which would have to be compiled first.
 */
const createAjv = (coerceTypes: boolean | 'array'): Ajv => {
  const trusting = { validateSchema: false, meta: false };
  const strict = { removeAdditional: false, allErrors: false, verbose: true } as const;
  const ajv = new Ajv({ coerceTypes, useDefaults: true, ...strict, ...trusting });
  addFormats.default(ajv, ['email', 'uuid', 'uri']);
  ajv.addFormat('date-time', isInstant);
  return ajv;
};

/** Finds a number such as `1e400`, which parses as Infinity. No bound in a schema refuses that. */
const findEndless = (data: unknown): string | undefined =>
  Object.entries(data ?? {}).find(([, value]) => typeof value === 'number' && !Number.isFinite(value))?.[0];

const endlessError = (name: string): ErrorObject => ({
  instancePath: `/${name}`,
  schemaPath: '#/type',
  keyword: 'type',
  params: {},
  message: 'must be a finite number',
});

/** The compilers for all servers of this process. Each compiles a schema only once. */
const ofBody = compileLater(() => createAjv(false));
const ofText = compileLater(() => createAjv('array'));

/**
 * Validates input. Bodies are used as sent: nothing is silently dropped or converted. URLs are text, so their values
 * are converted. Schemas are compiled on first use, because compiling all of them took a quarter of the startup time.
 */
export const createInputValidator =
  (): FastifySchemaCompiler<TSchema> =>
  ({ schema, httpPart }) => {
    const getCompiled = compileLater(() => (httpPart === 'body' ? ofBody() : ofText()).compile(schema));
    const validate: { (data: unknown): boolean; errors?: ErrorObject[] | null } = (data) => {
      const compiled = getCompiled();
      const fits = compiled(data);
      const endless = fits ? findEndless(data) : undefined;
      validate.errors = endless === undefined ? (compiled.errors ?? null) : [endlessError(endless)];
      return fits && endless === undefined;
    };
    return validate;
  };
