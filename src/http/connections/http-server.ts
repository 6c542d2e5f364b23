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
  /** True if the request was refused and answered. */
  refuseEarly(request: IncomingMessage, response: ServerResponse, sender: string): boolean;
};

/** Creates the server below Fastify. It passes on requests in groups that arrived together. */
export const createHttpServer = (
  handle: (request: IncomingMessage, response: ServerResponse) => void,
  { pipelining, senderOf, arrive, refuseEarly, endSoon }: Steps,
): Server => {
  const receive = (request: IncomingMessage, response: ServerResponse): void => {
    if (!pipelining.admit(request, response)) return;
    meterBody(request);
    const sender = senderOf(request);
    arrive(request, sender, () => {
      // The connection may have been ended meanwhile, because its body came in too many pieces.
      if (request.socket.destroyed) return;
      if (!refuseEarly(request, response, sender)) handle(request, response);
    });
  };
  const server = createServer(
    {
      maxHeaderSize: LIMITS.headerBytes,
      // Creates no stream for a request without a body.
      optimizeEmptyRequests: true,
      // By default, Node refuses a missing Host header itself, but not with a problem response (RFC 9457).
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
  // Ends a connection that was idle too long. If a request has arrived since, Node has set `timeout` to 0.
  server.on('timeout', (socket) => endSoon(() => socket.timeout && socket.destroy()));
  return server;
};
