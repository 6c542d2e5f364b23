import { type IncomingMessage, request as startRequest } from 'node:http';
import type { Socket } from 'node:net';
import type { Hop } from './hop.ts';
import { OutboundFailed } from './outbound-failed.ts';
import { hostOf } from './parse-url.ts';

/**
 * One request and the head of its answer, over a connection of its own that closes with it. Compression is not asked
 * for, and what comes compressed all the same is handed on as it came: a small answer cannot turn into a large one.
 */
export const sendRequest = (socket: Socket, { url, method, headers, body }: Hop): Promise<IncomingMessage> => {
  const request = startRequest({
    createConnection: () => socket,
    method,
    path: `${url.pathname}${url.search}`,
    headers: {
      'user-agent': 'patchbay',
      ...headers,
      host: url.host,
      'accept-encoding': 'identity',
      // Node leaves it out of a DELETE, whose body the other side would then take for the next request.
      ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }),
    },
  });
  return new Promise((resolve, reject) => {
    request.on('response', resolve);
    request.on('error', reject);
    // Without an error too: an upgrade that nobody asked for ends like this.
    request.on('close', () => reject(new OutboundFailed('network', hostOf(url), 'closed without an answer')));
    request.end(body);
  });
};
