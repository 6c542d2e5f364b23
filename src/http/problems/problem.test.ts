import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { TSchema } from 'typebox';
import { Type } from '../../platform/index.ts';
import { createInputValidator } from '../schemas/input-validator.ts';
import { toRefusal } from './problem.ts';

const compile = createInputValidator();

/** The errors for someone who sends this as a body. */
const flawsOf = (schema: TSchema, data: unknown): readonly { path: string; message: string }[] => {
  const validate = compile({ schema, method: 'POST', url: '/', httpPart: 'body' }) as {
    (data: unknown): boolean;
    errors?: object[] | null;
  };
  assert.equal(validate(data), false);
  const error = Object.assign(new Error('invalid'), { validation: validate.errors, validationContext: 'body' });
  return toRefusal(error)?.errors ?? [];
};

const Person = Type.Object(
  {
    name: Type.String({ maxLength: 5 }),
    role: Type.Optional(Type.Enum(['admin', 'member'])),
    email: Type.Optional(Type.String({ format: 'email' })),
    phone: Type.Optional(Type.String({ pattern: '^\\+\\d+$', description: 'A number with its country code' })),
    mark: Type.Optional(Type.String({ pattern: '^[ab]$' })),
    title: Type.Optional(Type.String({ pattern: '\\S', description: 'How to address them' })),
  },
  { additionalProperties: false },
);

test('invalid input is explained in words that say what to do', () => {
  const said: [object, string, string][] = [
    [{}, 'body.name', 'is missing'],
    [{ name: 'Ann', more: 1 }, 'body.more', 'is not a known field'],
    [{ name: 'Ann', role: 'boss' }, 'body.role', 'must be one of admin, member'],
    [{ name: 'Ann', email: 'ann' }, 'body.email', 'must be an email address'],
    [{ name: 'Ann', phone: '12' }, 'body.phone', 'has the wrong format. Expected: A number with its country code'],
    [{ name: 'Ann', mark: 'c' }, 'body.mark', 'has the wrong format'],
    [{ name: 'Ann', title: ' ' }, 'body.title', 'must not be blank'],
    [{ name: 'Annabel' }, 'body.name', 'must NOT have more than 5 characters'],
    [{ name: 1 }, 'body.name', 'must be string'],
  ];
  for (const [data, path, message] of said) assert.deepEqual(flawsOf(Person, data), [{ path, message }]);
});

test('what was sent is not repeated', () => {
  const [flaw] = flawsOf(Person, { name: 'Ann', phone: 'a-secret-that-slipped-in' });
  assert.doesNotMatch(JSON.stringify(flaw), /slipped/);
});

/** Every schema with a pattern that has no words for it, by its place. */
const findWordless = (value: unknown, described: boolean, place: string): string[] => {
  if (typeof value !== 'object' || value === null) return [];
  const { pattern, description } = value as { pattern?: unknown; description?: unknown };
  const says = typeof description === 'string';
  const isWordless = typeof pattern === 'string' && pattern !== '\\S' && !says && !described;
  return [
    ...(isWordless ? [place] : []),
    // The description of a parameter stands beside its schema.
    ...Object.entries(value).flatMap(([key, inner]) =>
      findWordless(inner, key === 'schema' && says, `${place} ${key}`),
    ),
  ];
};

test('every pattern in the API has a description, because its flaw quotes that', () => {
  assert.deepEqual(findWordless(JSON.parse(readFileSync('openapi.json', 'utf8')).paths, false, ''), []);
});
