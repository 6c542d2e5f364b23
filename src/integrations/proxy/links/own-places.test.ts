import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createOwnCheck } from './own-places.ts';

const isOurs = createOwnCheck('https://patchbay.example', { host: '203.0.113.5:8080' });

for (const address of [
  'https://patchbay.example/',
  'https://PATCHBAY.example./',
  'https://patchbay.example..:8443/',
  'http://patchbay.example/',
  'http://203.0.113.5:8080/',
  'http://3405803781/',
  'http://[::ffff:203.0.113.5]:8080/',
])
  test(`a URL leads to us: ${address}`, () => assert.equal(isOurs(new URL(address), []), true));

for (const address of [
  'https://example/',
  'https://a.patchbay.example/',
  'https://patchbay.example.evil.example/',
  'https://evil.example/patchbay.example',
  'http://localhost/',
])
  test(`a URL doesn't lead to us: ${address}`, () => assert.equal(isOurs(new URL(address), []), false));

test("a provider's place on our host is its own, but never our own port", () => {
  const theirs = new URL('http://patchbay.example:9000/api');
  assert.equal(isOurs(new URL('http://patchbay.example:9000/x'), [theirs]), false);
  assert.equal(isOurs(new URL('http://patchbay.example:9001/x'), [theirs]), true);
  assert.equal(isOurs(new URL('https://patchbay.example/x'), [new URL('https://patchbay.example/api')]), true);
});

test('any URL may lead to us if the request names very many hosts, which are not read', () => {
  const hosts = Array.from({ length: 1_000 }, (_, index) => `host${index}.example`);
  const isAny = createOwnCheck('https://patchbay.example', { 'x-forwarded-host': hosts.join() });
  assert.equal(isAny(new URL('https://evil.example/'), []), true);
  const isRepeated = createOwnCheck('https://patchbay.example', { 'x-forwarded-host': 'one.example,'.repeat(1_000) });
  assert.equal(isRepeated(new URL('https://evil.example/'), []), false);
  assert.equal(isRepeated(new URL('https://one.example/'), []), true);
});
