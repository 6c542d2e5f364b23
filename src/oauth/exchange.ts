import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { FastifyRequest } from 'fastify';

export type Exchange = { incoming: IncomingMessage; outgoing: ServerResponse };

const PASSED_ON = ['authorization', 'content-type', 'cookie'] as const;

/**
 * Makes a request and a response object for oidc-provider, which needs Node's own objects. oidc-provider writes to
 * these, and our route then sends the result like any other response: with our headers, counted, logged, and within the
 * time limit. URLs that oidc-provider builds start with our own base URL, whatever host and protocol the request names.
 * `root`: the path before those that oidc-provider knows.
 */
export const toExchange = (
  { method, headers, body }: Pick<FastifyRequest, 'method' | 'headers' | 'body'>,
  address: URL,
  root: string,
): Exchange => {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0);
  const path = `${address.pathname}${address.search}`;
  const passedOn = PASSED_ON.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]]));
  const incoming = Object.assign(new IncomingMessage(new Socket()), {
    method,
    originalUrl: path,
    url: path.slice(root.length),
    httpVersion: '1.1',
    httpVersionMajor: 1,
    httpVersionMinor: 1,
    complete: true,
    headers: {
      ...Object.fromEntries(passedOn),
      accept: 'application/json',
      host: address.host,
      'x-forwarded-host': address.host,
      'x-forwarded-proto': address.protocol.slice(0, -1),
      ...(method === 'POST' ? { 'content-length': String(bytes.length) } : {}),
    },
  });
  if (bytes.length > 0) incoming.push(bytes);
  incoming.push(null);
  return { incoming, outgoing: new ServerResponse(incoming) };
};
