import { type ClientRequest, type IncomingMessage, request as startRequest } from 'node:http';
import type { Socket } from 'node:net';
import { pipeline } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Hop, RequestBody, StreamedBody } from './hop.ts';
import { OutboundFailed } from './outbound-failed.ts';
import { MOST_INTERIM } from './outbound-rules.ts';
import { hostOf } from './parse-url.ts';

const isStreamed = (body: RequestBody | undefined): body is StreamedBody =>
  typeof body === 'object' && 'stream' in body;

const lengthOf = (body: RequestBody): number => (isStreamed(body) ? body.bytes : Buffer.byteLength(body));

/** Keeps an error of the stream from ending the process before anyone reads it. A later reader still gets the error. */
export const expectErrors = (body: RequestBody | undefined): void => {
  if (isStreamed(body)) body.stream.on('error', () => undefined);
};

/** Closes a stream that nobody will read anymore, and its file with it. */
export const endStream = (body: RequestBody | undefined): void => {
  if (isStreamed(body)) body.stream.destroy();
};

/**
 * Passes on exactly as many bytes as announced. With more, the rest would be read as another request. With fewer, the
 * other side would wait for the rest.
 */
const exactly = ({ bytes }: StreamedBody, host: string) =>
  async function* (chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    const wrong = () => new OutboundFailed('aborted', host, 'the body is not as long as announced');
    let sent = 0;
    for await (const chunk of chunks) {
      sent += chunk.length;
      if (sent > bytes) throw wrong();
      yield chunk;
    }
    if (sent !== bytes) throw wrong();
  };

const unreadable = (host: string) => new OutboundFailed('aborted', host, 'the body could not be read');

const sendStream = (request: ClientRequest, body: StreamedBody, host: string, fail: (error: Error) => void): void => {
  // If the stream fails, `pipeline` ends the request, which looks like the other side's fault. Listen first, to report
  // that our own body couldn't be read.
  body.stream.once('error', () => fail(unreadable(host)));
  pipeline(body.stream, exactly(body, host), request, (error) => {
    if (error) fail(error);
  });
};

/** The limit for the headers and for the chunk sizes around the body. */
const OVERHEAD_BYTES = 64 * 1024;

/** Limits the bytes that arrive besides the body. Otherwise, they could continue until the deadline. */
const limitOverhead = (request: ClientRequest, host: string, mostBytes: number): void => {
  let message: IncomingMessage | undefined;
  request.on('response', (response) => {
    message = response;
  });
  const tooLarge = (detail: string) => (message ?? request).destroy(new OutboundFailed('too_large', host, detail));
  let interim = 0;
  let received = 0;
  request.on('information', () => {
    if (++interim > MOST_INTERIM) tooLarge('too many interim responses');
  });
  // Listen only once Node reads from the socket. A listener that is added earlier takes bytes away from Node.
  request.on('socket', (socket) =>
    socket.on('data', (chunk: Buffer) => {
      received += chunk.length;
      if (received > 2 * mostBytes + OVERHEAD_BYTES) tooLarge('more than the body');
    }),
  );
};

/**
 * Sends one request over its own connection, which closes with it. Doesn't ask for compression, and passes on a
 * compressed response as it is, so that a small response can't turn into a large one.
 */
export const sendRequest = async (
  socket: Socket,
  { url, method, headers, body }: Hop,
  mostBytes: number,
): Promise<IncomingMessage> => {
  const host = hostOf(url);
  if (isStreamed(body) && body.stream.errored) {
    // Node 24.22 crashes if a connection is closed in the turn of the event loop in which its TLS handshake ends.
    await nextTurn();
    throw unreadable(host);
  }
  const request = startRequest({
    createConnection: () => socket,
    method,
    path: `${url.pathname}${url.search}`,
    headers: {
      'user-agent': 'patchbay',
      ...headers,
      host: url.host,
      'accept-encoding': 'identity',
      // For a DELETE, Node doesn't send the length. Without it, the other side takes the body for the next request.
      ...(body !== undefined && { 'content-length': lengthOf(body) }),
    },
  });
  limitOverhead(request, host, mostBytes);
  return new Promise((resolve, reject) => {
    request.on('response', resolve);
    request.on('error', reject);
    // Reject even without an error: an unrequested upgrade ends like this.
    request.on('close', () => reject(new OutboundFailed('network', host, 'closed without a response')));
    if (isStreamed(body)) sendStream(request, body, host, reject);
    else request.end(body);
  });
};
