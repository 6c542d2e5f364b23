import { Readable } from 'node:stream';
import type { Dispatcher, Pool } from 'undici';
import { Refusal } from '../refusal.ts';
import { createBufferRelease } from '../running/free-buffers.ts';
import { inSpan } from '../tracing/in-span.ts';
import { printTraceparent, type TraceContext } from '../tracing/traceparent.ts';
import { stepAside } from '../turns/owner.ts';
import { createAddressBook } from './address-book.ts';
import { createKeptConnections } from './kept-connections.ts';
import { dialAddresses } from './open-socket.ts';
import type { OutboundSettings } from './outbound.ts';
import { OutboundFailed } from './outbound-failed.ts';
import { checkScheme, createResolvers, MOST_INTERIM, SMALL_BYTES } from './outbound-rules.ts';
import { hostOf } from './parse-url.ts';
import { noteResponse, requestSpan } from './request-span.ts';

/** Names and values in the order in which they are sent. */
export type HeaderList = readonly (readonly [name: string, value: string])[];

type ForwardRequest = {
  /** The owner of the connection. Connections that are kept open are never shared between owners. */
  owner: string;
  method: string;
  /** Scheme, host and port. */
  origin: URL;
  /** Path and query, sent byte for byte. */
  path: string;
  headers: HeaderList;
  /** A stream is sent in chunks, unless the headers say how long it is. */
  body: Buffer | Readable | null;
  /** Set only if the operator chose the URL. Its host may be private, and its scheme may be http. */
  trusted: boolean;
  signal: AbortSignal;
  /** How often the caller has sent the same request before. Default: never. */
  resends?: number;
  /**
   * Whether the request must never be sent twice. If it fails, `OutboundFailed.sent` says whether the other side may
   * have it. For a certain answer, let no other request have the same `owner`: a kept connection may close while the
   * request is on its way.
   */
  once?: boolean;
  /** Whether the other side learns the trace that the request belongs to, in `traceparent`. */
  tellsTrace?: boolean;
  /** Called as soon as the response begins, for callers that don't need its body. */
  onResponse?(status: number, headers: HeaderList): void;
};

export type Forwarded = {
  status: number;
  headers: HeaderList;
  /**
   * A short body with a `content-length` is a buffer. Any other body is a stream at the reader's pace, which ends with
   * an `OutboundFailed` if the other side fails.
   */
  body: Buffer | Readable;
  /** How many bytes of the body have arrived. */
  count(): number;
};

/** How long the other side may be silent, before its first byte and between any two bytes. */
const SILENCE_MS = 60_000;
const BUFFERED_BYTES = 64 * 1024;
/** Up to this size, a buffer takes less work than a stream, and no more memory. */
const SHORT_BYTES = 32 * 1024;

/**
 * How many small chunks may arrive within a second, more than any honest stream sends. Each chunk costs as much work as
 * a kilobyte of data.
 */
const MOST_SMALL_CHUNKS = 2_000;

const TIMEOUTS = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']);
/** Errors that mean that the other side closed a kept connection before it responded. */
const CLOSED = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);
/** Methods that may be sent twice (RFC 9110, section 9.2.2). */
const IDEMPOTENT = new Set(['GET', 'HEAD', 'PUT', 'DELETE']);

export const isIdempotent = (method: string): boolean => IDEMPOTENT.has(method);

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '');

const readHeaders = (raw: unknown): HeaderList => {
  const parts = (raw as Buffer[]).map((part) => part.toString('latin1'));
  return Array.from({ length: parts.length / 2 }, (_, at) => [parts[2 * at] ?? '', parts[2 * at + 1] ?? '']);
};

/** The value of `content-length`. Null if there is none. */
const announcedLength = (headers: HeaderList): number | null => {
  const length = headers.find(([name]) => name.length === 14 && name.toLowerCase() === 'content-length')?.[1];
  return length === undefined ? null : Number(length);
};

const withTrace = (headers: HeaderList, context: TraceContext): HeaderList => [
  ...headers.filter(([name]) => name !== 'traceparent'),
  ['traceparent', printTraceparent(context)],
];

/** Detects a body that is sent in tiny chunks just to keep us busy. */
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

/** Keeps a `Refusal`, which was thrown while reading the caller's body. Any other error is the other side's fault. */
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
  /** Called just before the first byte is sent. */
  onSend(): void;
};

const exchange = (pool: Pool, outgoing: Outgoing): Promise<Forwarded> =>
  new Promise((resolve, reject) => {
    const { method, path, headers, body, signal, host, onPiece, onSend, onResponse } = outgoing;
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
          else onSend();
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
          // The stream may fail before anyone reads it, which must not end the process.
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
          // A raw error lets `forward` send the request again, so it's only for a response that hasn't begun.
          else reject(whole ? toFailure(error, host, signal) : error);
        },
      },
    );
  });

export type Forwarder = {
  /**
   * Passes on one request and its response, as a proxy does. If the other side has closed a kept connection in the
   * meantime, an idempotent request is sent once more on another connection.
   */
  forward(request: ForwardRequest): Promise<Forwarded>;
  close(): Promise<void>;
};

/**
 * Forwards requests as safely as `createOutbound` sends them. Unlike `createOutbound`, it keeps connections, and allows
 * responses of any size.
 */
export const createForwarder = (settings: OutboundSettings): Forwarder => {
  const { allowPrivate, dial = dialAddresses } = settings;
  const resolvers = createResolvers(settings);
  const findTrusted = createAddressBook(resolvers.trusted, true);
  const findOthers = createAddressBook(resolvers.others, allowPrivate);
  const kept = createKeptConnections(dial);
  const onPiece = createBufferRelease();

  const send = (
    request: ForwardRequest,
    { host, resends, onSend }: Pick<Outgoing, 'host' | 'onSend'> & { resends: number },
  ): Promise<Forwarded> => {
    const { owner, method, origin, trusted, signal, tellsTrace } = request;
    return inSpan(requestSpan({ method, url: origin }, resends), async (span) => {
      const headers = span && tellsTrace ? withTrace(request.headers, span.context) : request.headers;
      const addresses = await (trusted ? findTrusted : findOthers)(host, signal);
      const pool = await kept.poolFor(owner, origin, addresses);
      const forwarded = await exchange(pool, { ...request, headers, host, onPiece, onSend });
      noteResponse(span, forwarded.status);
      return forwarded;
    });
  };

  return {
    async forward(request) {
      const { origin, method, body, trusted, signal, resends = 0, once = false } = request;
      const host = hostOf(origin);
      let isSent = false;
      const onSend = (): void => {
        isSent = true;
      };
      stepAside();
      try {
        checkScheme(origin, allowPrivate || trusted);
        return await send(request, { host, resends, onSend }).catch((error) => {
          const repeatable = !once && isIdempotent(method) && !(body instanceof Readable) && !signal.aborted;
          if (!repeatable || !CLOSED.has(codeOf(error))) throw error;
          return send(request, { host, resends: resends + 1, onSend });
        });
      } catch (error) {
        const failure = error instanceof Error ? toFailure(error, host, signal) : error;
        if (failure instanceof OutboundFailed) failure.sent &&= isSent;
        throw failure;
      }
    },
    close: kept.close,
  };
};
