import { createCipheriv, createDecipheriv, type KeyObject } from 'node:crypto';
import { PassThrough, pipeline, Readable, Transform } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { takeRandomBytes } from '../platform/index.ts';
import { deriveKey } from './derive-key.ts';
import { type Binding, encodeBinding, SealBroken } from './envelope.ts';

/**
 * The format of a sealed file: `PBS1` · salt · segment 0 · segment 1 · …, each of 64 KiB plus a tag. The last segment
 * may be shorter.
 *
 * Every file has its own key, derived from the team's key and the salt, so a segment's number can be its nonce: it's
 * used only once with that key. A segment is bound to the team, the place, its number and whether it's the last. So in
 * a file that was truncated, reordered or mixed with another, the changed segments don't open.
 */
const MAGIC = Buffer.from('PBS1');
const SALT_BYTES = 32;
const HEADER_BYTES = MAGIC.length + SALT_BYTES;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
export const SEGMENT_BYTES = 64 * 1024;
const SEALED_SEGMENT_BYTES = SEGMENT_BYTES + TAG_BYTES;

export type StreamKey = { keyId: string; key: KeyObject; binding: Binding };

/** A range of `length` bytes from `start`. */
export type ByteRange = { start: number; length: number };

/** A sealed file. `bytes` is the size of its content. `read` returns sealed bytes. */
export type SealedSource = { bytes: number; read(range: ByteRange): Promise<Readable> };

/** The number of segments. Even an empty file has one, marked as the last. */
const segmentsOf = (bytes: number): number => Math.max(1, Math.ceil(bytes / SEGMENT_BYTES));

/** The size of this much content once it's sealed. */
export const sealedBytes = (bytes: number): number => HEADER_BYTES + bytes + segmentsOf(bytes) * TAG_BYTES;

const createSegments = ({ keyId, key, binding }: StreamKey, salt: Buffer) => {
  const fileKey = deriveKey(key, 'stream', salt);
  const nonceOf = (number: number): Buffer => {
    const nonce = Buffer.alloc(NONCE_BYTES);
    nonce.writeUIntBE(number, NONCE_BYTES - 6, 6);
    return nonce;
  };
  const boundTo = (number: number, last: boolean): Buffer =>
    encodeBinding(keyId, ['stream', ...binding, `${number}`, last ? 'last' : 'more']);
  return {
    seal(number: number, last: boolean, content: Buffer): Buffer {
      const cipher = createCipheriv('aes-256-gcm', fileKey, nonceOf(number));
      cipher.setAAD(boundTo(number, last));
      return Buffer.concat([cipher.update(content), cipher.final(), cipher.getAuthTag()]);
    },
    open(number: number, last: boolean, sealed: Buffer): Buffer {
      try {
        const decipher = createDecipheriv('aes-256-gcm', fileKey, nonceOf(number), { authTagLength: TAG_BYTES });
        decipher.setAAD(boundTo(number, last));
        decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
        return Buffer.concat([decipher.update(sealed.subarray(0, -TAG_BYTES)), decipher.final()]);
      } catch {
        throw new SealBroken('A segment of a sealed file could not be decrypted.');
      }
    },
  };
};

/** Cuts the input into pieces of this size. The last piece is whatever is left. */
const createCutter = (size: number) => {
  let parts: Buffer[] = [];
  let held = 0;
  const take = (length: number): Buffer => {
    const [only = Buffer.alloc(0), ...others] = parts;
    const all = others.length === 0 ? only : Buffer.concat(parts);
    parts = [all.subarray(length)];
    held -= length;
    return all.subarray(0, length);
  };
  return {
    add(chunk: Buffer): void {
      parts.push(chunk);
      held += chunk.length;
    },
    /**
     * Takes a whole piece, but only if more bytes follow. Otherwise it may be the last piece, which `takeRest` takes.
     */
    takeWhole: (): Buffer | null => (held > size ? take(size) : null),
    takeRest: (): Buffer => take(held),
  };
};

export const sealingStream = (streamKey: StreamKey): Transform => {
  const salt = takeRandomBytes(SALT_BYTES);
  const segments = createSegments(streamKey, salt);
  const cutter = createCutter(SEGMENT_BYTES);
  let number = 0;
  return new Transform({
    construct(done) {
      this.push(Buffer.concat([MAGIC, salt]));
      done();
    },
    transform(chunk: Buffer, _encoding, done) {
      cutter.add(chunk);
      for (let whole = cutter.takeWhole(); whole; whole = cutter.takeWhole())
        this.push(segments.seal(number++, false, whole));
      done();
    },
    flush(done) {
      this.push(segments.seal(number, true, cutter.takeRest()));
      done();
    },
  });
};

const readSalt = async (source: SealedSource): Promise<Buffer> => {
  const header = await buffer(await source.read({ start: 0, length: HEADER_BYTES }));
  if (header.length !== HEADER_BYTES || !header.subarray(0, MAGIC.length).equals(MAGIC))
    throw new SealBroken('This is not a sealed file.');
  return header.subarray(MAGIC.length);
};

type Span = { first: number; last: number; count: number };

/** Opens the segments one after the other. If a byte is missing at the end, the last segment doesn't open. */
const openSegments = (segments: ReturnType<typeof createSegments>, { first, last, count }: Span) =>
  async function* (sealed: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    const cutter = createCutter(SEALED_SEGMENT_BYTES);
    let number = first;
    const open = (piece: Buffer): Buffer => segments.open(number, number++ === count - 1, piece);
    for await (const chunk of sealed) {
      cutter.add(chunk);
      for (let whole = cutter.takeWhole(); whole; whole = cutter.takeWhole()) yield open(whole);
    }
    yield open(cutter.takeRest());
    if (number !== last + 1) throw new SealBroken('A sealed file is shorter than it should be.');
  };

const cutOut = (skip: number, length: number) =>
  async function* (opened: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let toSkip = skip;
    let left = length;
    for await (const segment of opened) {
      const wanted = segment.subarray(toSkip, toSkip + left);
      toSkip = 0;
      left -= wanted.length;
      yield wanted;
    }
    if (left > 0) throw new SealBroken('A sealed file is shorter than it should be.');
  };

/** Opens a range of a sealed file. The range must be within the file. */
export const openSealedRange = async (
  streamKey: StreamKey,
  source: SealedSource,
  { start, length }: ByteRange,
): Promise<Readable> => {
  if (start < 0 || length < 0 || start + length > source.bytes) throw new RangeError('That range is outside the file.');
  if (length === 0 && source.bytes > 0) return Readable.from([]);
  const segments = createSegments(streamKey, await readSalt(source));
  const count = segmentsOf(source.bytes);
  const first = Math.floor(start / SEGMENT_BYTES);
  const last = Math.max(first, Math.ceil((start + length) / SEGMENT_BYTES) - 1);
  const from = HEADER_BYTES + first * SEALED_SEGMENT_BYTES;
  const until = Math.min(HEADER_BYTES + (last + 1) * SEALED_SEGMENT_BYTES, sealedBytes(source.bytes));
  const sealed = await source.read({ start: from, length: until - from });
  const part = new PassThrough();
  const opening = openSegments(segments, { first, last, count });
  // If the reader closes the stream, end the source immediately. `pipeline` would wait for the source's next chunk
  // first.
  part.once('close', () => sealed.destroy());
  pipeline(sealed, opening, cutOut(start - first * SEGMENT_BYTES, length), part, () => undefined);
  return part;
};
