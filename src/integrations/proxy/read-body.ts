import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { callerGone, createBufferRelease, stepAside, within } from '../../platform/index.ts';
import { bodyRefused, proxyBodyTooLarge, proxyBodyTooSlow } from './errors.ts';
import { createUploadPace } from './upload-pace.ts';

/** The largest body that a caller may send through the proxy. */
const MOST_BYTES = 50 * 1024 * 1024;
/** A body up to this size is kept in memory until there is a response, so that the request can be sent again. */
const KEPT_BYTES = 1024 * 1024;
/** The maximum memory for kept bodies, in total and per caller. Beyond that, bodies are passed on as they arrive. */
const MOST_KEPT_BYTES = 64 * 1024 * 1024;
const MOST_KEPT_BYTES_OF_CALLER = 16 * 1024 * 1024;
const MOST_PIECES = 1_000;

/** How long a body of up to `KEPT_BYTES` may take to arrive. */
const PATIENCE_MS = 60_000;

/** Reads the next piece. Fails only if the caller has left. */
const nextOf = (pieces: AsyncIterator<Buffer>): Promise<IteratorResult<Buffer>> =>
  pieces.next().catch(() => {
    throw callerGone();
  });

const nextWithin = (ms: number, pieces: AsyncIterator<Buffer>): Promise<IteratorResult<Buffer>> =>
  within<IteratorResult<Buffer>, never>(ms, nextOf(pieces), {
    onLate() {
      throw proxyBodyTooSlow();
    },
  });

export type ProxyBody = {
  /** The body, or null if there is none. A stream can be sent only once. */
  content: Buffer | Readable | null;
  /** The length of a stream, if the caller has announced it. */
  length: number | null;
  /** How many bytes have been passed on so far. */
  count(): number;
  release(): void;
};

/** Throws if no more of the body may be passed on. */
type MayPass = () => Promise<void>;

const EMPTY: ProxyBody = { content: null, length: null, count: () => 0, release: () => undefined };

const lengthOf = ({ headers }: IncomingMessage): number | null => {
  if (headers['transfer-encoding'] !== undefined) return null;
  return Number(headers['content-length'] ?? 0);
};

/**
 * Reads the next piece of a body that is passed on. Only time spent waiting for the caller is measured, not for the
 * provider.
 */
const createNext = (pieces: AsyncIterator<Buffer>) => {
  const pace = createUploadPace();
  return async (): Promise<IteratorResult<Buffer>> => {
    const begun = performance.now();
    const next = await nextWithin(pace.leftMs, pieces);
    pace.count(performance.now() - begun, next.value?.length ?? 0);
    return next;
  };
};

/** Makes a stream of the first pieces and the ones that follow. Fails if the body exceeds the size limit. */
const streamOn = (
  first: readonly Buffer[],
  rest: AsyncIterator<Buffer>,
  { mayPass, onBytes }: { mayPass: MayPass; onBytes(bytes: number): void },
): Readable =>
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
      const takeNext = createNext(rest);
      for (let next = await takeNext(); !next.done; next = await takeNext()) {
        await mayPass();
        yield count(next.value);
      }
    })(),
    { objectMode: false, highWaterMark: 64 * 1024 },
  );

const keep = (content: Buffer, release: () => void): ProxyBody => ({
  content,
  length: null,
  count: () => content.length,
  release,
});

/** Counts the bytes of kept bodies, for each caller and in total. */
const createHoldings = () => {
  const ofCallers = new Map<string, number>();
  let total = 0;
  return {
    isFull: (caller: string): boolean =>
      total >= MOST_KEPT_BYTES || (ofCallers.get(caller) ?? 0) >= MOST_KEPT_BYTES_OF_CALLER,
    change(caller: string, by: number): void {
      const held = (ofCallers.get(caller) ?? 0) + by;
      if (held === 0) ofCallers.delete(caller);
      else ofCallers.set(caller, held);
      total += by;
    },
  };
};

/**
 * Collects pieces of a body. Small pieces are joined, because thousands of them take much more memory than their
 * content.
 */
const createPile = () => {
  const together: Buffer[] = [];
  let recent: Buffer[] = [];
  return {
    add(piece: Buffer): void {
      recent.push(piece);
      if (recent.length < MOST_PIECES) return;
      together.push(Buffer.concat(recent));
      recent = [];
    },
    take: (): Buffer[] => [...together, ...recent],
  };
};

/** Reads the bodies of requests that are passed on: small bodies as a whole, large ones as a stream. */
export const createBodyReader = () => {
  const holdings = createHoldings();
  const freeBuffers = createBufferRelease();

  const stream = (
    first: readonly Buffer[],
    rest: AsyncIterator<Buffer>,
    { length, release, mayPass }: { length: number | null; release(): void; mayPass: MayPass },
  ): ProxyBody => {
    let bytes = 0;
    const onBytes = (more: number): void => {
      bytes += more;
      freeBuffers(more);
    };
    const content = streamOn(first, rest, { mayPass, onBytes });
    const end = (): void => {
      release();
      content.destroy();
    };
    return { content, length, count: () => bytes, release: end };
  };

  return async (request: IncomingMessage, caller: string, mayPass: MayPass): Promise<ProxyBody> => {
    const length = lengthOf(request);
    if (length === 0) return EMPTY;
    if (request.method === 'GET' || request.method === 'HEAD') throw bodyRefused();
    if (length !== null && length > MOST_BYTES) throw proxyBodyTooLarge();
    // From here on, the caller decides how long the request takes. Give up its slot among quick requests, so that they
    // don't wait for it.
    if (!request.complete) stepAside();
    const pieces: AsyncIterator<Buffer> = request[Symbol.asyncIterator]();
    const pile = createPile();
    let bytes = 0;
    const release = (): void => {
      holdings.change(caller, -bytes);
      bytes = 0;
    };
    try {
      const deadline = performance.now() + PATIENCE_MS;
      const isLong = (length ?? 0) > KEPT_BYTES;
      while (!isLong && bytes <= KEPT_BYTES && !holdings.isFull(caller)) {
        const { done, value } = await nextWithin(deadline - performance.now(), pieces);
        if (done) return keep(Buffer.concat(pile.take()), release);
        pile.add(value);
        bytes += value.length;
        holdings.change(caller, value.length);
      }
      return stream(pile.take(), pieces, { length, release, mayPass });
    } catch (error) {
      release();
      throw error;
    }
  };
};
