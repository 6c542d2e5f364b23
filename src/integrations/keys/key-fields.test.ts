import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Refusal } from '../../platform/index.ts';
import { checkKeyFields, secretsIn } from './key-fields.ts';

const field = { label: 'Key', about: 'In the settings.' };
const one = { kind: 'api_key', fields: { api_key: { ...field, pattern: 'k_[a-z]+', maxLength: 8 } } } as const;
const two = { kind: 'basic', fields: { username: { ...field, secret: false }, password: field } } as const;

const flawsOf = (run: () => unknown): Record<string, string> => {
  try {
    run();
  } catch (error) {
    assert.ok(error instanceof Refusal);
    return Object.fromEntries((error.errors ?? []).map(({ path, message }) => [path, message]));
  }
  return {};
};

describe('the fields of a key', () => {
  test('are those of the entry, as they were given', () => {
    assert.deepEqual(checkKeyFields(one, { api_key: 'k_abc' }), { api_key: 'k_abc' });
    assert.deepEqual(checkKeyFields(two, { password: 'a: b', username: 'ada' }), { username: 'ada', password: 'a: b' });
  });

  test('match the pattern of the entry as a whole, and its length', () => {
    for (const api_key of ['abc', 'xk_abc', 'k_abc1'])
      assert.match(flawsOf(() => checkKeyFields(one, { api_key }))['fields.api_key'] ?? '', /look like/, api_key);
    assert.match(flawsOf(() => checkKeyFields(one, { api_key: 'k_abcdefg' }))['fields.api_key'] ?? '', /8 characters/);
  });

  test('are all reported at once, without what was entered', () => {
    const flaws = flawsOf(() => checkKeyFields(two, { username: 'a:b', password: 'x\n', other: 'y' }));
    assert.deepEqual(Object.keys(flaws), ['fields.username', 'fields.password', 'fields.other']);
  });

  test('include nothing that an object has by itself', () => {
    assert.deepEqual(Object.keys(flawsOf(() => checkKeyFields(one, Object.create({ api_key: 'k_abc' })))), [
      'fields.api_key',
    ]);
  });

  test('are secret unless the entry says otherwise', () => {
    assert.deepEqual(secretsIn(two, { username: 'ada', password: 'p' }), ['p']);
    assert.deepEqual(secretsIn(one, { api_key: 'k' }), ['k']);
  });
});
