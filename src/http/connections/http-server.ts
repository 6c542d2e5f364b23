import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { LIMITS } from '../contract/limits.ts';
import { meterBody } from './body-meter.ts';
import type { PipeliningGuard } from './pipelining-guard.ts';
import { createSideBySide } from './side-by-side.ts';

/** The server below Fastify. It reads requests, and passes on together those that arrived together. */
export const createHttpServer = (
  handle: (request: IncomingMessage, response: ServerResponse) => void,
  pipelining: PipeliningGuard,
): Server => {
  const arrive = createSideBySide(setImmediate);
  return createServer(
    {
      maxHeaderSize: LIMITS.headerBytes,
      // A request without a body needs no stream that ends.
      optimizeEmptyRequests: true,
      // Node would refuse it on its own, and not with a problem (RFC 9457).
      requireHostHeader: false,
      headersTimeout: LIMITS.headersMs,
      requestTimeout: LIMITS.requestMs,
      keepAliveTimeout: LIMITS.keepAliveMs,
      connectionsCheckingInterval: LIMITS.connectionCheckMs,
    },
    (request, response) => {
      if (!pipelining.admit(request, response)) return;
      meterBody(request);
      arrive(() => {
        // Ended in the meantime, for one request too many.
        if (!request.socket.destroyed) handle(request, response);
      });
    },
  );
};
