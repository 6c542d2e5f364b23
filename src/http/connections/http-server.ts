import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { LIMITS } from '../contract/limits.ts';
import { createSideBySide } from './side-by-side.ts';

/** The server below Fastify: reads requests, and hands those that came together on together. */
export const createHttpServer = (handle: (request: IncomingMessage, response: ServerResponse) => void): Server => {
  const arrive = createSideBySide(setImmediate);
  return createServer(
    {
      maxHeaderSize: LIMITS.headerBytes,
      // A request without a body needs no stream that ends.
      optimizeEmptyRequests: true,
      // Node would refuse by itself, and not with a problem.
      requireHostHeader: false,
      headersTimeout: LIMITS.headersMs,
      requestTimeout: LIMITS.requestMs,
      keepAliveTimeout: LIMITS.keepAliveMs,
      connectionsCheckingInterval: LIMITS.connectionCheckMs,
    },
    (request, response) => arrive(() => handle(request, response)),
  );
};
