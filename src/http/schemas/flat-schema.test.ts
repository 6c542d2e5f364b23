import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import buildSerializers from '@fastify/fast-json-stringify-compiler';
import { Type } from '../../platform/index.ts';
import { flatSchema } from './flat-schema.ts';

const serialize = (schema: object, value: unknown): unknown =>
  JSON.parse(buildSerializers()({}, {})({ schema, method: 'GET', url: '/', httpStatus: '200' })(value));

describe('a schema for a serializer', () => {
  const Person = Type.Union([Type.Object({ id: Type.String() }), Type.Null()]);
  const Answer = Type.Object({
    state: Type.Union([Type.Literal('open'), Type.Literal('closed')]),
    reason: Type.Union([Type.Literal('late'), Type.Literal('early'), Type.Null()]),
    at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
    count: Type.Union([Type.Integer(), Type.Null()]),
    by: Person,
    all: Type.Array(Person),
    heat: Type.Array(Type.Array(Type.Union([Type.Integer(), Type.Null()]))),
    left: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  });
  const filled = {
    ...{ state: 'open', reason: 'late', at: '2026-11-15T00:00:00.000Z', count: 3, by: { id: 'a' } },
    ...{ all: [{ id: 'a' }, null], heat: [[1, null]], left: 'here' },
  };
  const empty = { state: 'closed', reason: null, at: null, count: null, by: null, all: [], heat: [[]] };

  test('has no union for a nullable value or for one of several words', () => {
    assert.equal(JSON.stringify(flatSchema(Answer)).includes('anyOf'), false);
  });

  test('serializes the same as with unions', () => {
    for (const value of [filled, empty])
      assert.deepEqual(serialize(flatSchema(Answer) as object, value), serialize(Answer, value));
    assert.deepEqual(serialize(flatSchema(Answer) as object, filled), filled);
  });

  test('still omits fields that it does not name', () => {
    const secret = { ...filled, by: { id: 'a', secret: 'x' }, secret: 'x' };
    assert.equal(JSON.stringify(serialize(flatSchema(Answer) as object, secret)).includes('secret'), false);
  });

  test('keeps a union of different things', () => {
    const Mixed = Type.Object({ value: Type.Union([Type.String(), Type.Integer(), Type.Null()]) });
    assert.match(JSON.stringify(flatSchema(Mixed)), /anyOf/);
    for (const value of ['a', 1, null]) assert.deepEqual(serialize(flatSchema(Mixed) as object, { value }), { value });
  });
});
