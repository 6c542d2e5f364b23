import { Readable } from 'node:stream';
import type { Dispatcher, Pool } from 'undici';
import { Refusal } from '../refusal.ts';
import { createBufferRelease } from '../running/free-buffers.ts';
import { stepAside } from '../turns/owner.ts';
import { createAddressBook } from './address-book.ts';
import { createKeptConnections } from './kept-connections.ts';
import { dialAddresses } from './open-socket.ts';
import type { OutboundSettings } from './outbound.ts';
import { OutboundFailed } from './outbound-failed.ts';
import { checkScheme, createResolvers } from './outbound-rules.ts';
import { hostOf } from './parse-url.ts';

/** Names and values in the order in which they are sent. */
export type HeaderList = readonly (readonly [name: string, value: string])[];

type ForwardRequest = {
  /** Whose connections to use. They are shared with nobody else. */
  owner: string;
  method: string;
  /** Scheme, host and port. */
  origin: URL;
  /** Path and query, sent byte for byte. */
  path: string;
  headers: HeaderList;
  /** A stream is sent in chunks, unless the headers say how long it is. */
  body: Buffer | Readable | null;
  /** Only for addresses set by the operator: they may be private and plain http. */
  trusted: boolean;
  signal: AbortSignal;
  /** Called as soon as the response begins, for whoever doesn't need its body. */
  onResponse?(status: number, headers: HeaderList): void;
};

export type Forwarded = {
  status: number;
  headers: HeaderList;
  /**
   * A short body whose length was announced is there as a whole. Any other is a stream at the reader's pace, and ends
   * with an `OutboundFailed` if the other side fails.
   */
  body: Buffer | Readable;
  /** How many bytes of the body have arrived. */
  count(): number;
};

/** How long the other side may take before its first byte, and between any two. */
const SILENCE_MS = 60_000;
const BUFFERED_BYTES = 64 * 1024;
/** Up to here, a whole body takes less work and no more memory than a stream. */
const SHORT_BYTES = 32 * 1024;

/** A chunk costs as much work as a kilobyte. More small ones in a second than any honest stream has. */
const MOST_SMALL_CHUNKS = 2_000;
const SMALL_BYTES = 64;

/** Responses before the response, such as 103 Early Hints. */
const MOST_INTERIM = 5;

const TIMEOUTS = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']);
/** The other side closed a connection that was kept, before it could respond. */
const CLOSED = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);
/** By their definition, these may be sent again (RFC 9110, section 9.2.2). */
const IDEMPOTENT = new Set(['GET', 'HEAD', 'PUT', 'DELETE']);

export const isIdempotent = (method: string): boolean => IDEMPOTENT.has(method);

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '');

const readHeaders = (raw: unknown): HeaderList => {
  const parts = (raw as Buffer[]).map((part) => part.toString('latin1'));
  return Array.from({ length: parts.length / 2 }, (_, at) => [parts[2 * at] ?? '', parts[2 * at + 1] ?? '']);
};

/** Null if it isn't announced. */
const announcedLength = (headers: HeaderList): number | null => {
  const length = headers.find(([name]) => name.length === 14 && name.toLowerCase() === 'content-length')?.[1];
  return length === undefined ? null : Number(length);
};

/** Whether a body comes in so many small pieces that they are only there to keep us busy. */
const createFloodCheck = () => {
  let small = 0;
  let since = performance.now();
  return (chunk: Buffer): boolean => {
    if (chunk.length >= SMALL_BYTES || ++small <= MOST_SMALL_CHUNKS) return false;
    const tookMs = performance.now() - since;
    since += tookMs;
    small = 0;
    return tookMs < 1_000;
  };
};

/** A refusal comes from whoever reads the caller's body. Everything else is the other side's fault. */
const toFailure = (error: Error, host: string, signal: AbortSignal): Error => {
  if (error instanceof OutboundFailed || error instanceof Refusal) return error;
  if (TIMEOUTS.has(codeOf(error))) return new OutboundFailed('timeout', host);
  if (signal.aborted) return new OutboundFailed('aborted', host);
  return new OutboundFailed('network', host, codeOf(error) || error.name);
};

type Outgoing = Pick<ForwardRequest, 'method' | 'path' | 'headers' | 'body' | 'signal' | 'onResponse'> & {
  host: string;
  /** Called for each piece of a streamed body. */
  onPiece(bytes: number): void;
};

const exchange = (pool: Pool, outgoing: Outgoing): Promise<Forwarded> =>
  new Promise((resolve, reject) => {
    const { method, path, headers, body, signal, host, onPiece, onResponse } = outgoing;
    const isFlood = createFloodCheck();
    let controller: Dispatcher.DispatchController | undefined;
    let received: Readable | undefined;
    let whole: { status: number; headers: HeaderList; pieces: Buffer[] } | undefined;
    let bytes = 0;
    let interim = 0;
    const callOff = (): void => controller?.abort(new OutboundFailed('aborted', host));
    const end = (): void => signal.removeEventListener('abort', callOff);

    pool.dispatch(
      { method, path, headers: headers.flat(), body, headersTimeout: SILENCE_MS, bodyTimeout: SILENCE_MS },
      {
        onRequestStart(begun) {
          controller = begun;
          signal.addEventListener('abort', callOff, { once: true });
          if (signal.aborted) callOff();
        },
        onResponseStart(begun, status) {
          if (status < 200) {
            if (++interim > MOST_INTERIM)
              begun.abort(new OutboundFailed('too_large', host, 'too many interim responses'));
            return;
          }
          const list = readHeaders(begun.rawHeaders);
          onResponse?.(status, list);
          if ((announcedLength(list) ?? Number.POSITIVE_INFINITY) <= SHORT_BYTES) {
            whole = { status, headers: list, pieces: [] };
            return;
          }
          received = new Readable({
            highWaterMark: BUFFERED_BYTES,
            read: () => begun.resume(),
            destroy(error, done) {
              if (!received?.readableEnded) begun.abort(error ?? new OutboundFailed('aborted', host));
              done(error);
            },
          });
          // It may fail before anyone reads it.
          received.on('error', () => undefined);
          resolve({ status, headers: list, body: received, count: () => bytes });
        },
        onResponseData(begun, chunk) {
          bytes += chunk.length;
          if (received) onPiece(chunk.length);
          if (isFlood(chunk)) begun.abort(new OutboundFailed('too_large', host, 'in too many pieces'));
          else if (whole) whole.pieces.push(chunk);
          else if (!received?.push(chunk)) begun.pause();
        },
        onResponseEnd() {
          end();
          received?.push(null);
          if (!whole) return;
          const { status, headers: list, pieces } = whole;
          resolve({ status, headers: list, body: Buffer.concat(pieces), count: () => bytes });
        },
        onResponseError(_, error) {
          end();
          if (received) received.destroy(toFailure(error, host, signal));
          // Once the response has begun, the request isn't sent again.
          else reject(whole ? toFailure(error, host, signal) : error);
        },
      },
    );
  });

export type Forwarder = {
  /**
   * Passes on one request and its response, as a proxy does. If the other side has closed a kept connection in the
   * meantime, a request that may be repeated is sent once more on another one.
   */
  forward(request: ForwardRequest): Promise<Forwarded>;
  close(): Promise<void>;
};

/** Guards requests of others like `createOutbound`, but keeps connections, and the response may be of any size. */
export const createForwarder = (settings: OutboundSettings): Forwarder => {
  const { allowPrivate, dial = dialAddresses } = settings;
  const resolvers = createResolvers(settings);
  const findTrusted = createAddressBook(resolvers.trusted, true);
  const findOthers = createAddressBook(resolvers.others, allowPrivate);
  const kept = createKeptConnections(dial);
  const onPiece = createBufferRelease();

  const send = async (request: ForwardRequest, host: string): Promise<Forwarded> => {
    const { owner, origin, trusted, signal } = request;
    const addresses = await (trusted ? findTrusted : findOthers)(host, signal);
    return exchange(await kept.poolFor(owner, origin, addresses), { ...request, host, onPiece });
  };

  return {
    async forward(request) {
      const { origin, method, body, trusted, signal } = request;
      const host = hostOf(origin);
      stepAside();
      try {
        checkScheme(origin, allowPrivate || trusted);
        return await send(request, host).catch((error) => {
          const repeatable = isIdempotent(method) && !(body instanceof Readable) && !signal.aborted;
          if (!repeatable || !CLOSED.has(codeOf(error))) throw error;
          return send(request, host);
        });
      } catch (error) {
        throw error instanceof Error ? toFailure(error, host, signal) : error;
      }
    },
    close: kept.close,
  };
};
