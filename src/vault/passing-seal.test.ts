import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyCharacter } from '../../test/harness/any-character.ts';
import { Secret } from '../platform/index.ts';
import { SealBroken } from './envelope.ts';
import { extendKeyRing, type KeyRing, parseKeyRing } from './key-ring.ts';
import { createPassingSeal } from './passing-seal.ts';

const oldText = extendKeyRing(undefined);
const newText = extendKeyRing(oldText);
const ringOf = (text: string) => parseKeyRing(new Secret(text));
const sealWith = (ring: KeyRing, reloaded = ring) => createPassingSeal({ current: () => ring, reload: () => reloaded });

const seal = sealWith(ringOf(oldText));
const content = Buffer.from('what leaves');

test('a sealed value opens for its purpose and binding, in any process with the ring', () => {
  fc.assert(
    fc.property(fc.string(), fc.array(fc.string()), fc.uint8Array(), (purpose, binding, bytes) => {
      const sealed = seal.sealPassing(purpose, binding, Buffer.from(bytes));
      assert.match(sealed, /^[A-Za-z0-9._-]+$/);
      assert.deepEqual(new Uint8Array(sealWith(ringOf(oldText)).openPassing(purpose, binding, sealed)), bytes);
    }),
  );
});

test('it does not open for another purpose', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), fc.string({ unit: anyCharacter }), (purpose, other) => {
      fc.pre(purpose !== other);
      const sealed = seal.sealPassing(purpose, ['x'], content);
      assert.throws(() => seal.openPassing(other, ['x'], sealed), SealBroken);
    }),
  );
});

test('purpose and binding are kept apart', () => {
  const sealed = seal.sealPassing('state', ['github'], content);
  for (const [purpose, binding] of [
    ['state github', []],
    ['state', []],
    ['', ['state', 'github']],
    ['github', ['state']],
  ] as const)
    assert.throws(() => seal.openPassing(purpose, binding, sealed), SealBroken);
});

test('it does not open with another binding, however the words are split', () => {
  const words = fc.array(fc.string({ unit: anyCharacter }), { maxLength: 3 });
  fc.assert(
    fc.property(words, words, (binding, other) => {
      fc.pre(JSON.stringify(binding) !== JSON.stringify(other));
      const sealed = seal.sealPassing('state', binding, content);
      assert.throws(() => seal.openPassing('state', other, sealed), SealBroken);
    }),
  );
  const sealed = seal.sealPassing('state', ['ab', 'c'], content);
  for (const other of [['a', 'bc'], ['abc'], ['ab', 'c', ''], ['c', 'ab']])
    assert.throws(() => seal.openPassing('state', other, sealed), SealBroken);
});

test('a flipped bit in the nonce, the content or the tag breaks it', () => {
  const [version, id, ...parts] = seal.sealPassing('state', ['x'], content).split('.');
  const bytes = parts.map((part) => Buffer.from(part, 'base64url'));
  for (const [part, original] of bytes.entries())
    for (let bit = 0; bit < original.length * 8; bit++) {
      const flipped = bytes.map((one) => Buffer.from(one));
      const changed = flipped[part];
      assert.ok(changed);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      const text = [version, id, ...flipped.map((one) => one.toString('base64url'))].join('.');
      assert.throws(() => seal.openPassing('state', ['x'], text), SealBroken, `${part}, bit ${bit}`);
    }
});

test('a shorter tag does not open it', () => {
  const sealed = seal.sealPassing('state', ['x'], Buffer.alloc(0));
  const [version, id, nonce, body = ''] = sealed.split('.');
  const tag = Buffer.from(body, 'base64url');
  for (let length = 0; length < tag.length; length++) {
    const text = [version, id, nonce, tag.subarray(0, length).toString('base64url')].join('.');
    assert.throws(() => seal.openPassing('state', ['x'], text), SealBroken, String(length));
  }
});

test('any other text breaks the seal and nothing else', () => {
  const part = fc.oneof(fc.string(), fc.constantFrom('v1', 'k1', 'k2', '', 'AAAA', '__proto__', 'constructor'));
  fc.assert(
    fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
      assert.throws(() => seal.openPassing('state', ['x'], parts.join('.')), SealBroken);
    }),
    { numRuns: 500 },
  );
});

test('a value sealed with an old key opens while that key is in the ring, and the new key seals', () => {
  const sealed = seal.sealPassing('state', ['x'], content);
  const rotated = sealWith(ringOf(newText));
  assert.deepEqual(rotated.openPassing('state', ['x'], sealed), content);
  assert.match(rotated.sealPassing('state', ['x'], content), /^v1\.k2\./);
});

test('it no longer opens once the old key is gone', () => {
  const sealed = seal.sealPassing('state', ['x'], content);
  const onlyNew = newText.split(',')[0] ?? '';
  assert.throws(() => sealWith(ringOf(onlyNew)).openPassing('state', ['x'], sealed), SealBroken);
});

test('a process that does not know a key reads the ring again, and only then', () => {
  let reloads = 0;
  const behind = createPassingSeal({
    current: () => ringOf(oldText),
    reload: () => {
      reloads++;
      return ringOf(newText);
    },
  });
  behind.openPassing('state', ['x'], seal.sealPassing('state', ['x'], content));
  assert.equal(reloads, 0);
  const ahead = sealWith(ringOf(newText)).sealPassing('state', ['x'], content);
  assert.deepEqual(behind.openPassing('state', ['x'], ahead), content);
});

test('a key with the same name in another ring, or an unknown name, opens nothing', () => {
  const sealed = seal.sealPassing('state', ['x'], content);
  assert.throws(() => sealWith(ringOf(extendKeyRing(undefined))).openPassing('state', ['x'], sealed), SealBroken);
  for (const id of ['k2', 'k9', 'K1', 'constructor'])
    assert.throws(() => seal.openPassing('state', ['x'], sealed.replace('.k1.', `.${id}.`)), SealBroken, id);
  const both = sealWith(ringOf(newText));
  assert.throws(() => both.openPassing('state', ['x'], sealed.replace('.k1.', '.k2.')), SealBroken);
});

test('sealing the same content twice gives different results', () => {
  const seen = Array.from({ length: 100 }, () => seal.sealPassing('state', ['x'], content));
  assert.equal(new Set(seen).size, 100);
});
