import { type ClientRequest, type IncomingMessage, request as startRequest } from 'node:http';
import type { Socket } from 'node:net';
import { pipeline } from 'node:stream';
import type { Hop, RequestBody, StreamedBody } from './hop.ts';
import { OutboundFailed } from './outbound-failed.ts';
import { hostOf } from './parse-url.ts';

const isStreamed = (body: RequestBody | undefined): body is StreamedBody =>
  typeof body === 'object' && 'stream' in body;

const lengthOf = (body: RequestBody): number => (isStreamed(body) ? body.bytes : Buffer.byteLength(body));

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

const sendStream = (request: ClientRequest, body: StreamedBody, host: string, fail: (error: Error) => void): void => {
  // Before the request is torn down, which would look like the other side's fault. The source's own error stays here.
  body.stream.once('error', () => fail(new OutboundFailed('aborted', host, 'the body could not be read')));
  pipeline(body.stream, exactly(body, host), request, (error) => {
    if (error) fail(error);
  });
};

/**
 * One request, over its own connection that closes with it. It doesn't ask for compression, and a compressed response is
 * passed on as it is, so that a small response can't turn into a large one.
 */
export const sendRequest = (socket: Socket, { url, method, headers, body }: Hop): Promise<IncomingMessage> => {
  const host = hostOf(url);
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
  return new Promise((resolve, reject) => {
    request.on('response', resolve);
    request.on('error', reject);
    // Even without an error: an unrequested upgrade ends like this.
    request.on('close', () => reject(new OutboundFailed('network', host, 'closed without a response')));
    if (isStreamed(body)) sendStream(request, body, host, reject);
    else request.end(body);
  });
};
