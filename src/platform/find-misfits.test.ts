import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findMisfits } from './find-misfits.ts';
import { Type } from './type.ts';

const Person = Type.Object(
  { name: Type.String(), age: Type.Optional(Type.Integer()) },
  { additionalProperties: false },
);

test('what fits has no misfits', () => {
  assert.deepEqual(findMisfits(Person, { name: 'Ada' }), []);
  assert.deepEqual(findMisfits(Person, { name: 'Ada', age: 36 }), []);
});

test('every place that does not fit is named, and no value', () => {
  assert.deepEqual(findMisfits(Person, { name: 7, age: 'secret' }), [
    { path: '/name', message: 'must be string' },
    { path: '/age', message: 'must be integer' },
  ]);
  assert.deepEqual(findMisfits(Person, {}), [{ path: '', message: "must have required property 'name'" }]);
  assert.deepEqual(findMisfits(Person, { name: 'Ada', token: 'secret' }), [
    { path: '', message: 'must NOT have additional properties' },
  ]);
});
