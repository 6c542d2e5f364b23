import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { TSchema } from 'typebox';
import { Refusal, Type } from '../../platform/index.ts';
import { createInputValidator } from '../schemas/input-validator.ts';
import { problemBody, toRefusal } from './problem.ts';

const compile = createInputValidator();

/** Returns the errors for this body. */
const flawsOf = (schema: TSchema, data: unknown): readonly { path: string; message: string }[] => {
  const validate = compile({ schema, method: 'POST', url: '/', httpPart: 'body' }) as {
    (data: unknown): boolean;
    errors?: object[] | null;
  };
  assert.equal(validate(data), false);
  const error = Object.assign(new Error('invalid'), { validation: validate.errors, validationContext: 'body' });
  const refusal = toRefusal(error);
  assert.ok(refusal);
  return JSON.parse(problemBody(refusal, 'id')).errors;
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

test('an error names the part of the request that it is about', () => {
  const placeOf = (path: string, sent: object): string => {
    const refusal = new Refusal(400, 'teams.name_invalid', 'Invalid.', { errors: [{ path, message: 'is not valid' }] });
    return JSON.parse(problemBody(refusal, 'id', sent)).errors[0].path;
  };
  const query = Object.create(null, { week: { value: '2026-W99', enumerable: true } });
  assert.equal(placeOf('api.token', { method: 'POST', params: {}, query: {}, body: { api: {} } }), 'body.api.token');
  assert.equal(placeOf('week', { method: 'GET', params: {}, query }), 'query.week');
  assert.equal(placeOf('week', { method: 'GET', params: { week: '2026-W99' }, query: {} }), 'params.week');
  assert.equal(placeOf('connection', { method: 'POST', query: { connection: 'a' }, body: {} }), 'query.connection');
  assert.equal(placeOf('params.site', { method: 'GET', query: { 'params.site': 'a' } }), 'query.params.site');
  assert.equal(placeOf('params.site', { method: 'GET', query: {} }), 'query.params.site', 'What is missing.');
  assert.equal(placeOf('fields.key', { method: 'PUT', body: null }), 'body.fields.key', 'What is missing.');
});

test('what was sent is not repeated', () => {
  const [flaw] = flawsOf(Person, { name: 'Ann', phone: 'a-secret-that-slipped-in' });
  assert.doesNotMatch(JSON.stringify(flaw), /slipped/);
});

/** Lists the places of all schemas with a pattern, but no description of it. */
const findWordless = (value: unknown, described: boolean, place: string): string[] => {
  if (typeof value !== 'object' || value === null) return [];
  const { pattern, description } = value as { pattern?: unknown; description?: unknown };
  const says = typeof description === 'string';
  const isWordless = typeof pattern === 'string' && pattern !== '\\S' && !says && !described;
  return [
    ...(isWordless ? [place] : []),
    // The description of a parameter is beside its schema, not in it.
    ...Object.entries(value).flatMap(([key, inner]) =>
      findWordless(inner, key === 'schema' && says, `${place} ${key}`),
    ),
  ];
};

test('every pattern in the API has a description, because its flaw quotes that', () => {
  assert.deepEqual(findWordless(JSON.parse(readFileSync('openapi.json', 'utf8')), false, ''), []);
});
