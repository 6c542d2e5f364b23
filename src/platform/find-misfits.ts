import { Ajv } from 'ajv';
import type { TSchema } from 'typebox';
import { oncePer } from './running/once-per.ts';

// Our own schemas: what they must look like is checked by the compiler and the tests, and takes 100 ms at a start.
const ajv = new Ajv({ allErrors: true, validateSchema: false, meta: false });
const validatorOf = oncePer((schema: TSchema) => ajv.compile(schema));

/** Where a value does not fit its schema, as a JSON pointer, and why. Nothing: it fits. */
export const findMisfits = (schema: TSchema, value: unknown): { path: string; message: string }[] => {
  const validate = validatorOf(schema);
  if (validate(value)) return [];
  return (validate.errors ?? []).map(({ instancePath, message = 'does not fit' }) => ({ path: instancePath, message }));
};
