import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findMisfits } from './find-misfits.ts';
import { Type } from './type.ts';

const Person = Type.Object(
  { name: Type.String(), age: Type.Optional(Type.Integer()) },
  { additionalProperties: false },
);

test('a matching value has no misfits', () => {
  assert.deepEqual(findMisfits(Person, { name: 'Ada' }), []);
  assert.deepEqual(findMisfits(Person, { name: 'Ada', age: 36 }), []);
});

test('every mismatch is named by its place, never by its value', () => {
  assert.deepEqual(findMisfits(Person, { name: 7, age: 'secret' }), [
    { path: '/name', message: 'must be string' },
    { path: '/age', message: 'must be integer' },
  ]);
  assert.deepEqual(findMisfits(Person, {}), [{ path: '', message: "must have required property 'name'" }]);
  assert.deepEqual(findMisfits(Person, { name: 'Ada', token: 'secret' }), [
    { path: '', message: 'must NOT have additional properties' },
  ]);
});

test('a pattern is explained in words', () => {
  const Code = Type.String({ pattern: '^[a-z]+$', description: 'lowercase letters' });
  assert.deepEqual(findMisfits(Code, '7'), [
    { path: '', message: 'has the wrong format. Expected: lowercase letters' },
  ]);
  assert.deepEqual(findMisfits(Type.String({ pattern: '^x$' }), 'y'), [{ path: '', message: 'has the wrong format' }]);
});
