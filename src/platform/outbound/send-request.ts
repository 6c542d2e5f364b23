import { type ClientRequest, type IncomingMessage, request as startRequest } from 'node:http';
import type { Socket } from 'node:net';
import { pipeline } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Hop, RequestBody, StreamedBody } from './hop.ts';
import { OutboundFailed } from './outbound-failed.ts';
import { hostOf } from './parse-url.ts';

const isStreamed = (body: RequestBody | undefined): body is StreamedBody =>
  typeof body === 'object' && 'stream' in body;

const lengthOf = (body: RequestBody): number => (isStreamed(body) ? body.bytes : Buffer.byteLength(body));

/** It may fail before anyone reads it, which would otherwise end the process. Whoever reads it later is told. */
export const expectErrors = (body: RequestBody | undefined): void => {
  if (isStreamed(body)) body.stream.on('error', () => undefined);
};

/** Nobody will read this stream anymore, so its file is closed. */
export const endStream = (body: RequestBody | undefined): void => {
  if (isStreamed(body)) body.stream.destroy();
};

/** Exactly as many bytes as announced: one more would start another request, and one less would be waited for. */
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
  // Before the request is torn down, which would look like the other side's fault. The source's own error stays here.
  body.stream.once('error', () => fail(unreadable(host)));
  pipeline(body.stream, exactly(body, host), request, (error) => {
    if (error) fail(error);
  });
};

/** Responses before the response, such as 103 Early Hints. */
const MOST_INTERIM = 5;
/** For the headers and for what frames the body. */
const OVERHEAD_BYTES = 64 * 1024;

/** Limits what arrives besides the body: nothing else counts it, and it could go on until the deadline. */
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
  // By now Node reads the connection. Listening any earlier would take bytes away from it.
  request.on('socket', (socket) =>
    socket.on('data', (chunk: Buffer) => {
      received += chunk.length;
      if (received > 2 * mostBytes + OVERHEAD_BYTES) tooLarge('more than the body');
    }),
  );
};

/**
 * One request, over its own connection that closes with it. It doesn't ask for compression, and a compressed response is
 * passed on as it is, so that a small response can't turn into a large one.
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
      // Node leaves it out of a DELETE, and the other side would take the body for the next request.
      ...(body !== undefined && { 'content-length': lengthOf(body) }),
    },
  });
  limitOverhead(request, host, mostBytes);
  return new Promise((resolve, reject) => {
    request.on('response', resolve);
    request.on('error', reject);
    // Even without an error: an unrequested upgrade ends like this.
    request.on('close', () => reject(new OutboundFailed('network', host, 'closed without a response')));
    if (isStreamed(body)) sendStream(request, body, host, reject);
    else request.end(body);
  });
};
