import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { LIMITS } from '../contract/limits.ts';
import { askForBodyOnRead } from './ask-for-body-on-read.ts';
import { meterBody } from './body-meter.ts';
import type { PipeliningGuard } from './pipelining-guard.ts';

type Steps = {
  pipelining: PipeliningGuard;
  senderOf(request: IncomingMessage): string;
  endSoon(end: () => void): void;
  arrive(request: IncomingMessage, sender: string, begin: () => void): void;
  /** True if it has responded. */
  refuseEarly(request: IncomingMessage, response: ServerResponse, sender: string): boolean;
};

/** The server below Fastify. It reads requests, and passes on together those that arrived together. */
export const createHttpServer = (
  handle: (request: IncomingMessage, response: ServerResponse) => void,
  { pipelining, senderOf, arrive, refuseEarly, endSoon }: Steps,
): Server => {
  const receive = (request: IncomingMessage, response: ServerResponse): void => {
    if (!pipelining.admit(request, response)) return;
    meterBody(request);
    const sender = senderOf(request);
    arrive(request, sender, () => {
      // Ended in the meantime, for a body in too many pieces.
      if (request.socket.destroyed) return;
      if (!refuseEarly(request, response, sender)) handle(request, response);
    });
  };
  const server = createServer(
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
    receive,
  );
  server.on('checkContinue', (request, response) => {
    askForBodyOnRead(request, response);
    receive(request, response);
  });
  // After a long time without a request. If one has come since, there is no such limit.
  server.on('timeout', (socket) => endSoon(() => socket.timeout && socket.destroy()));
  return server;
};
