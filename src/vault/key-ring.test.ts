import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Secret } from '../platform/index.ts';
import { extendKeyRing, parseKeyRing } from './key-ring.ts';

const random = 'qLTtYJGy1gGzW3hVZ5O1Yw8dFfJ7i4b0cQmR2xNn9kE=';

test('the first key seals, and all can be found by id', () => {
  const ring = parseKeyRing(new Secret(extendKeyRing(`k1:${random}`)));
  assert.equal(ring.first.id, 'k2');
  assert.deepEqual(ring.ids, ['k2', 'k1']);
  assert.equal(ring.find('k1')?.key.symmetricKeySize, 32);
  assert.equal(ring.find('k3'), undefined);
});

test('a bad ring is rejected with the reason and without the key', () => {
  const cases: [string, RegExp][] = [
    [random, /needs an id/],
    [`K1:${random}`, /needs an id/],
    ['k1:c2hvcnQ=', /32 bytes/],
    [`k1:${random.replace('q', '!')}`, /32 bytes/],
    [`k1:${Buffer.alloc(32).toString('base64')}`, /not random/],
    [`k1:${random},k1:${extendKeyRing(undefined).slice(3)}`, /same id/],
    [`k1:${random},k2:${random}`, /are the same/],
    [`k1:${random},`, /needs an id/],
  ];
  for (const [text, reason] of cases) {
    assert.throws(
      () => parseKeyRing(new Secret(text)),
      (error: Error) => reason.test(error.message) && !error.message.includes(random.slice(0, 20)),
      text,
    );
  }
});
