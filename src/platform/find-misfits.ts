import { Ajv } from 'ajv';
import type { TSchema } from 'typebox';
import { oncePer } from './running/once-per.ts';
import { sayPatternFlaw } from './say-pattern-flaw.ts';

// Schemas aren't validated, which would take 100 ms at startup. They are our own, checked by the compiler and the
// tests.
const ajv = new Ajv({ allErrors: true, verbose: true, validateSchema: false, meta: false });
const validatorOf = oncePer((schema: TSchema) => ajv.compile(schema));

/** Finds where a value doesn't match its schema, as JSON pointers, and why. Empty if it matches. */
export const findMisfits = (schema: TSchema, value: unknown): { path: string; message: string }[] => {
  const validate = validatorOf(schema);
  if (validate(value)) return [];
  return (validate.errors ?? []).map(({ instancePath, keyword, parentSchema, message = 'does not fit' }) => ({
    path: instancePath,
    message: keyword === 'pattern' ? sayPatternFlaw(parentSchema) : message,
  }));
};
