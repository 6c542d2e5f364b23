import assert from 'node:assert/strict';
import { generateKeySync, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { SealBroken } from './envelope.ts';
import { openSealedRange, SEGMENT_BYTES, type StreamKey, sealedBytes, sealingStream } from './stream-seal.ts';

const HEADER = 36;
const SEALED_SEGMENT = SEGMENT_BYTES + 16;
const ours: StreamKey = {
  keyId: 'k',
  key: generateKeySync('aes', { length: 256 }),
  binding: ['team', 'recordings/1', 'audio'],
};
const content = randomBytes(4 * SEGMENT_BYTES + 100);

const seal = (bytes: Buffer, key = ours, cuts: readonly number[] = []): Promise<Buffer> => {
  const edges = [0, ...cuts, bytes.length]
    .map((edge) => Math.min(edge, bytes.length))
    .sort((one, other) => one - other);
  const chunks = edges.map((edge, index) => bytes.subarray(edge, edges[index + 1]));
  return buffer(Readable.from(chunks.filter((chunk) => chunk.length > 0)).pipe(sealingStream(key)));
};

type Opening = { key?: StreamKey; bytes?: number; start?: number; length?: number };

const open = async (sealed: Buffer, opening: Opening = {}) => {
  const { key = ours, bytes = content.length, start = 0, length = bytes - start } = opening;
  const asked: { start: number; length: number }[] = [];
  const source = {
    bytes,
    async read(range: { start: number; length: number }) {
      asked.push(range);
      return Readable.from([sealed.subarray(range.start, range.start + range.length)]);
    },
  };
  return { opened: await buffer(await openSealedRange(key, source, { start, length })), asked };
};

const expectBroken = (sealed: Buffer, opening: Opening = {}): Promise<void> =>
  assert.rejects(open(sealed, opening), SealBroken);

/** A place anywhere, or at the edge of a segment, where an off-by-one error would show. */
const place = (most: number) =>
  fc.oneof(
    fc.nat(most),
    fc
      .tuple(fc.nat(5), fc.integer({ min: -2, max: 2 }))
      .map(([segment, step]) => Math.min(most, Math.max(0, segment * SEGMENT_BYTES + step))),
  );

describe('a sealed file', () => {
  test('opens unchanged, whatever its size and chunks', async () => {
    await fc.assert(
      fc.asyncProperty(
        place(content.length),
        fc.array(fc.nat(content.length), { maxLength: 8 }),
        async (size, cuts) => {
          const bytes = content.subarray(0, size);
          const sealed = await seal(bytes, ours, cuts);
          assert.equal(sealed.length, sealedBytes(size));
          const { opened } = await open(sealed, { bytes: size });
          assert.ok(opened.equals(bytes));
        },
      ),
      { numRuns: 60 },
    );
  });

  test('opens in any range, reading only the segments it needs', async () => {
    const sealed = await seal(content);
    await fc.assert(
      fc.asyncProperty(place(content.length), place(content.length), async (one, other) => {
        const [start, end] = [Math.min(one, other), Math.max(one, other)];
        const { opened, asked } = await open(sealed, { start, length: end - start });
        assert.ok(opened.equals(content.subarray(start, end)));
        const read = asked.slice(1).reduce((sum, { length }) => sum + length, 0);
        const segments = Math.ceil(end / SEGMENT_BYTES) - Math.floor(start / SEGMENT_BYTES);
        assert.ok(read <= (start === end ? 0 : segments * SEALED_SEGMENT), `${read} for ${start} to ${end}`);
      }),
      { numRuns: 100 },
    );
  });

  test('is never the same twice, and reveals nothing of its content', async () => {
    const zeros = Buffer.alloc(200_000);
    const [first, second] = [await seal(zeros), await seal(zeros)];
    assert.ok(!first.subarray(HEADER).equals(second.subarray(HEADER)));
    assert.ok(
      !first
        .subarray(HEADER, HEADER + 1_000)
        .equals(first.subarray(HEADER + SEALED_SEGMENT, HEADER + SEALED_SEGMENT + 1_000)),
    );
    assert.ok(!first.includes(Buffer.alloc(64)));
  });

  test('breaks if a single bit was changed', async () => {
    const bytes = content.subarray(0, SEGMENT_BYTES + 50);
    const sealed = await seal(bytes);
    await fc.assert(
      fc.asyncProperty(fc.nat(sealed.length - 1), fc.nat(7), async (index, bit) => {
        const changed = Buffer.from(sealed);
        changed[index] = (changed[index] ?? 0) ^ (1 << bit);
        await expectBroken(changed, { bytes: bytes.length });
      }),
      { numRuns: 100 },
    );
  });

  test('breaks if it was truncated, even between two segments, whatever size is claimed', async () => {
    const sealed = await seal(content);
    for (const kept of [
      0,
      10,
      HEADER,
      HEADER + 5,
      sealed.length - 1,
      ...[1, 2, 3, 4].map((n) => HEADER + n * SEALED_SEGMENT),
    ]) {
      const cutOff = sealed.subarray(0, kept);
      await expectBroken(cutOff);
      const wholeSegments = Math.floor((kept - HEADER) / SEALED_SEGMENT);
      if (wholeSegments > 0) await expectBroken(cutOff, { bytes: wholeSegments * SEGMENT_BYTES });
    }
    await expectBroken(Buffer.concat([sealed, Buffer.alloc(100)]), { bytes: content.length + 100 });
  });

  test('breaks if segments are reordered or repeated', async () => {
    const sealed = await seal(content);
    const segment = (n: number) => sealed.subarray(HEADER + n * SEALED_SEGMENT, HEADER + (n + 1) * SEALED_SEGMENT);
    for (const order of [
      [1, 0, 2, 3, 4],
      [0, 2, 1, 3, 4],
      [0, 0, 2, 3, 4],
      [0, 1, 2, 2, 4],
    ])
      await expectBroken(Buffer.concat([sealed.subarray(0, HEADER), ...order.map(segment)]));
  });

  test('breaks if a segment or the header is from another file in the same place', async () => {
    const [one, other] = [await seal(content), await seal(content)];
    const from = HEADER + SEALED_SEGMENT;
    const mixed = Buffer.from(one);
    other.copy(mixed, from, from, from + SEALED_SEGMENT);
    await expectBroken(mixed);
    await expectBroken(Buffer.concat([other.subarray(0, HEADER), one.subarray(HEADER)]));
  });

  test('opens for no other team, place or key', async () => {
    const sealed = await seal(content);
    for (const key of [
      { ...ours, binding: ['other', 'recordings/1', 'audio'] },
      { ...ours, binding: ['team', 'recordings/2', 'audio'] },
      { ...ours, binding: ['team', 'recordings/1', 'text'] },
      { ...ours, keyId: 'l' },
      { ...ours, key: generateKeySync('aes', { length: 256 }) },
    ])
      await expectBroken(sealed, { key });
  });

  test('closes its source when the reader leaves, even while the source is waiting', async () => {
    const sealed = await seal(content);
    let stuck: Readable | undefined;
    const source = {
      bytes: content.length,
      async read({ start, length }: { start: number; length: number }) {
        if (start === 0) return Readable.from([sealed.subarray(0, length)]);
        stuck = new Readable({ read: () => undefined });
        stuck.push(sealed.subarray(start, start + 10));
        return stuck;
      },
    };
    const part = await openSealedRange(ours, source, { start: 0, length: content.length });
    part.resume();
    part.destroy();
    if (stuck && !stuck.closed) await new Promise((resolve) => stuck?.once('close', resolve));
    assert.equal(stuck?.destroyed, true);
  });

  test('has no range outside of itself', async () => {
    const sealed = await seal(content);
    for (const range of [
      { start: -1, length: 5 },
      { start: 0, length: content.length + 1 },
      { start: content.length, length: 1 },
      { start: 0, length: -1 },
    ])
      await assert.rejects(open(sealed, range), RangeError);
  });
});
