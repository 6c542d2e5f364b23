import { Ajv, type ValidateFunction } from 'ajv';
import type { TSchema } from 'typebox';

// Our own schemas: what they must look like is checked by the compiler and the tests, and takes 100 ms at a start.
const ajv = new Ajv({ allErrors: true, validateSchema: false, meta: false });
const validators = new WeakMap<TSchema, ValidateFunction>();

/** Where a value does not fit its schema, as a JSON pointer, and why. Nothing: it fits. */
export const findMisfits = (schema: TSchema, value: unknown): { path: string; message: string }[] => {
  const validate = validators.get(schema) ?? ajv.compile(schema);
  validators.set(schema, validate);
  if (validate(value)) return [];
  return (validate.errors ?? []).map(({ instancePath, message = 'does not fit' }) => ({ path: instancePath, message }));
};
