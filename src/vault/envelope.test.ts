import assert from 'node:assert/strict';
import { generateKeySync } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { openEnvelope, SealBroken, sealEnvelope } from './envelope.ts';

const key = generateKeySync('aes', { length: 256 });
const binding = ['team', 'record', 'field'];

test('a sealed value opens in its own place', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 500 }), fc.array(fc.string(), { maxLength: 5 }), (content, words) => {
      const sealed = sealEnvelope('k', key, words, Buffer.from(content));
      assert.deepEqual(new Uint8Array(openEnvelope(key, words, sealed)), content);
    }),
  );
});

test('a sealed value opens in no other place, however the words are split', () => {
  fc.assert(
    fc.property(fc.array(fc.string(), { maxLength: 4 }), fc.array(fc.string(), { maxLength: 4 }), (words, others) => {
      fc.pre(JSON.stringify(words) !== JSON.stringify(others));
      const sealed = sealEnvelope('k', key, words, Buffer.from('secret'));
      assert.throws(() => openEnvelope(key, others, sealed), SealBroken);
    }),
  );
  const sealed = sealEnvelope('k', key, ['ab', 'c'], Buffer.from('secret'));
  assert.throws(() => openEnvelope(key, ['a', 'bc'], sealed), SealBroken);
});

test('a changed character anywhere breaks the seal', () => {
  const sealed = sealEnvelope('k', key, binding, Buffer.from('secret'));
  for (let index = 0; index < sealed.length; index++) {
    const original = sealed[index] ?? '';
    // The last character of a part has spare bits in base64url, so the replacement differs in the upper bits.
    const replacement = original === 'A' ? 'g' : 'A';
    const changed = sealed.slice(0, index) + replacement + sealed.slice(index + 1);
    if (changed.startsWith('v1.')) assert.throws(() => openEnvelope(key, binding, changed), SealBroken, `at ${index}`);
  }
});

test('a truncated, empty or foreign text only breaks the seal', () => {
  const sealed = sealEnvelope('k', key, binding, Buffer.from('secret'));
  for (const text of [
    '',
    'v1',
    'v1.k',
    'v1.k..',
    sealed.slice(0, -1),
    `${sealed}AAAA`,
    sealed.slice(0, 20),
    'v1.k.AAAA.AAAA',
  ]) {
    assert.throws(() => openEnvelope(key, binding, text), SealBroken, text);
  }
  assert.throws(() => openEnvelope(generateKeySync('aes', { length: 256 }), binding, sealed), SealBroken);
});

test('sealing the same secret twice gives different results', () => {
  const seen = new Set(Array.from({ length: 100 }, () => sealEnvelope('k', key, binding, Buffer.from('secret'))));
  assert.equal(seen.size, 100);
});
