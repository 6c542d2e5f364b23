import assert from 'node:assert/strict';
import { test } from 'node:test';
import { format, inspect } from 'node:util';
import { equalSecrets, randomSecret, Secret } from './secret.ts';

test('a secret prints as [secret], however it is printed', () => {
  const secret = new Secret('hunter2');
  const printed = [
    String(secret),
    `${secret}`,
    JSON.stringify({ secret }),
    inspect(secret, { showHidden: true, depth: 9 }),
    format('%s %o %O %j', secret, secret, secret, secret),
    Object.keys(secret).join(),
    JSON.stringify(structuredClone({ ...secret })),
  ].join('\n');
  assert.ok(!printed.includes('hunter2'), printed);
  assert.equal(secret.reveal(), 'hunter2');
});

test('secrets of any length are compared by content', () => {
  assert.equal(equalSecrets('abc', 'abc'), true);
  assert.equal(equalSecrets('abc', 'abcd'), false);
  assert.equal(equalSecrets('', 'undefined'), false);
});

test('a random secret has 256 bits and is safe in a URL', () => {
  const secrets = Array.from({ length: 1_000 }, randomSecret);
  for (const secret of secrets) assert.match(secret, /^[A-Za-z0-9_-]{43}$/);
  assert.equal(new Set(secrets).size, 1_000);
});
