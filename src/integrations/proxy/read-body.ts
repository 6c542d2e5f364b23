import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { within } from '../../platform/index.ts';
import { bodyRefused, proxyBodyTooLarge, proxyBodyTooSlow } from '../errors.ts';

/** What a caller may send through the proxy. */
const MOST_BYTES = 50 * 1024 * 1024;
/** Up to here a body is kept until the response is there, so that the request can be sent again. */
const KEPT_BYTES = 1024 * 1024;
/** What all kept bodies may take. Beyond that, bodies are passed on as they arrive. */
const MOST_KEPT_BYTES = 64 * 1024 * 1024;

/** How long a short body may take to arrive, and a long one between two of its pieces. */
const PATIENCE_MS = 60_000;

const nextWithin = (ms: number, pieces: AsyncIterator<Buffer>): Promise<IteratorResult<Buffer>> =>
  within<IteratorResult<Buffer>, never>(ms, pieces.next(), {
    onLate() {
      throw proxyBodyTooSlow();
    },
  });

export type ProxyBody = {
  /** Null if there is none. A stream can be sent only once. */
  content: Buffer | Readable | null;
  /** Of a stream, if the caller has said. */
  length: number | null;
  /** How many bytes have been passed on so far. */
  count(): number;
  release(): void;
};

const EMPTY: ProxyBody = { content: null, length: null, count: () => 0, release: () => undefined };

const lengthOf = ({ headers }: IncomingMessage): number | null => {
  if (headers['transfer-encoding'] !== undefined) return null;
  return Number(headers['content-length'] ?? 0);
};

/** The first pieces, and the others as they arrive. Fails beyond the limit. */
const streamOn = (first: readonly Buffer[], rest: AsyncIterator<Buffer>, onBytes: (bytes: number) => void): Readable =>
  Readable.from(
    (async function* () {
      let bytes = 0;
      const count = (piece: Buffer): Buffer => {
        bytes += piece.length;
        if (bytes > MOST_BYTES) throw proxyBodyTooLarge();
        onBytes(piece.length);
        return piece;
      };
      for (const piece of first) yield count(piece);
      for (let next = await nextWithin(PATIENCE_MS, rest); !next.done; next = await nextWithin(PATIENCE_MS, rest))
        yield count(next.value);
    })(),
    { objectMode: false, highWaterMark: 64 * 1024 },
  );

/** Reads the bodies of requests that are passed on: small ones as a whole, large ones as a stream. */
export const createBodyReader = () => {
  let kept = 0;

  const stream = (first: readonly Buffer[], rest: AsyncIterator<Buffer>, length: number | null): ProxyBody => {
    let bytes = 0;
    const content = streamOn(first, rest, (more) => {
      bytes += more;
    });
    return { content, length, count: () => bytes, release: () => content.destroy() };
  };

  const keep = (content: Buffer): ProxyBody => {
    let held = content.length;
    kept += held;
    const release = (): void => {
      kept -= held;
      held = 0;
    };
    return { content, length: null, count: () => content.length, release };
  };

  return async (request: IncomingMessage): Promise<ProxyBody> => {
    const length = lengthOf(request);
    if (length === 0) return EMPTY;
    if (request.method === 'GET' || request.method === 'HEAD') throw bodyRefused();
    if (length !== null && length > MOST_BYTES) throw proxyBodyTooLarge();
    const pieces: AsyncIterator<Buffer> = request[Symbol.asyncIterator]();
    if (kept > MOST_KEPT_BYTES || (length ?? 0) > KEPT_BYTES) return stream([], pieces, length);
    const first: Buffer[] = [];
    let bytes = 0;
    const deadline = performance.now() + PATIENCE_MS;
    while (bytes <= KEPT_BYTES) {
      const { done, value } = await nextWithin(deadline - performance.now(), pieces);
      if (done) return keep(Buffer.concat(first));
      first.push(value);
      bytes += value.length;
    }
    return stream(first, pieces, length);
  };
};

export type BodyReader = ReturnType<typeof createBodyReader>;
