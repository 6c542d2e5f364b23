import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import type { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { StoredFile } from '../contract/recording-storage.ts';
import { audioTypeOf, HEAD_BYTES } from './audio-type.ts';

/** Thrown if the content that was sent isn't audio. */
export class NotAudio extends Error {
  override readonly name = 'NotAudio';
}

/** Size and digest of the audio, and of the file that it's in. They differ if the file is sealed. */
export type SavedAudio = { contentType: string; bytes: number; sha256: string; file: StoredFile };

const createMeter = () => {
  const digest = createHash('sha256');
  let bytes = 0;
  return {
    async *measure(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
      for await (const chunk of chunks) {
        digest.update(chunk);
        bytes += chunk.length;
        yield chunk;
      }
    },
    read: () => ({ bytes, sha256: digest.digest('hex') }),
  };
};

/** Lets no bytes through until the first ones show that the content is audio. */
const createInspector = (declared: string | undefined) => {
  let contentType: string | null = null;
  const judge = (head: Buffer): void => {
    contentType = audioTypeOf(declared, head);
    if (contentType === null) throw new NotAudio('This is not audio.');
  };
  return {
    async *inspect(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
      let head: Buffer = Buffer.alloc(0);
      for await (const chunk of chunks) {
        if (contentType !== null) {
          yield chunk;
          continue;
        }
        head = Buffer.concat([head, chunk]);
        if (head.length < HEAD_BYTES) continue;
        judge(head);
        yield head;
      }
      if (contentType !== null || head.length === 0) return;
      judge(head);
      yield head;
    },
    contentType: () => contentType ?? '',
  };
};

/** Writes the audio to a path, and seals it if a seal is given. Resolves once the file is on disk. */
export const saveAudio = async (
  body: Readable,
  declared: string | undefined,
  { path, seal, signal }: { path: string; seal: Transform | null; signal: AbortSignal },
): Promise<SavedAudio> => {
  const inspector = createInspector(declared);
  const [audio, stored] = [createMeter(), createMeter()];
  const file = createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true });
  if (seal) await pipeline(body, inspector.inspect, audio.measure, seal, stored.measure, file, { signal });
  else await pipeline(body, inspector.inspect, audio.measure, stored.measure, file, { signal });
  return { contentType: inspector.contentType(), ...audio.read(), file: { path, ...stored.read() } };
};
