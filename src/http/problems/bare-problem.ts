import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { Refusal } from '../../platform/index.ts';
import { PLACE_OF_ID, prepareText } from './prepare-text.ts';
import { PROBLEM_HEADERS, problemBody } from './problem.ts';

const MALFORMED = new Refusal(400, 'http.bad_request', 'The request is malformed.');
const KNOWN: Record<string, Refusal> = {
  HPE_HEADER_OVERFLOW: new Refusal(431, 'http.headers_too_large', 'The request headers are larger than 16 KiB.'),
  ERR_HTTP_REQUEST_TIMEOUT: new Refusal(408, 'http.request_timeout', 'The request took too long to arrive.'),
};

const HANG_UP_MS = 1_000;

/** Makes a problem response outside of Fastify, after which the connection closes. */
export const bareProblem = (refusal: Refusal, headers: Record<string, string>, requestId: string) => {
  const body = problemBody(refusal, requestId);
  return {
    body,
    headers: {
      ...headers,
      ...refusal.headers,
      'x-request-id': requestId,
      ...PROBLEM_HEADERS,
      'content-length': String(Buffer.byteLength(body)),
      connection: 'close',
    },
  };
};

const prepareBare = (refusal: Refusal, headers: Record<string, string>): ((requestId: string) => string) => {
  const problem = bareProblem(refusal, headers, PLACE_OF_ID);
  const lines = Object.entries(problem.headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const status = `${refusal.status} ${STATUS_CODES[refusal.status] ?? ''}`;
  return prepareText(`HTTP/1.1 ${status}\r\n${lines.join('')}\r\n${problem.body}`);
};

/**
 * Responds to requests that Node's parser refused, on the bare connection. Waits for the next turn of the event loop,
 * so that earlier requests of the same packet get their responses first. Thousands of requests may time out at the same
 * moment, so only a few are ended in each turn.
 */
export const createClientErrorHandler = (
  headers: Record<string, string>,
  endSoon: (end: () => void) => void,
  connections: {
    /** Whether the time limit for a whole request doesn't apply to this connection right now. */
    mayTakeLong(socket: Socket): boolean;
    /** Whether the last response of this connection is on its way. */
    isOver(socket: Socket): boolean;
  },
) => {
  const malformed = prepareBare(MALFORMED, headers);
  const known = new Map(Object.entries(KNOWN).map(([code, refusal]) => [code, prepareBare(refusal, headers)]));
  const respond = (error: Error & { code?: string }, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || socket.destroyed) return;
    if (connections.isOver(socket)) return;
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && connections.mayTakeLong(socket)) return;
    if (!socket.writable) {
      socket.destroy();
      return;
    }
    const text = known.get(error.code ?? '') ?? malformed;
    socket.end(text(randomUUID()));
    // `end` also waits for the client to close the connection. A slow client may never do that, so it's cut off anyway.
    setTimeout(() => endSoon(() => socket.destroy()), HANG_UP_MS).unref();
  };
  return (error: Error, socket: Socket): void => endSoon(() => respond(error, socket));
};

/** Refuses an unsupported `Expect` header with a problem. Node would refuse it without saying why. */
export const refuseExpectations = (
  server: Server,
  headers: Record<string, string>,
  admit: (request: IncomingMessage, response: ServerResponse) => boolean,
): void => {
  const unmet = 'The only supported "Expect" value is "100-continue".';
  server.on('checkExpectation', (request, response) => {
    if (!admit(request, response)) return;
    const problem = bareProblem(new Refusal(417, 'http.expectation_failed', unmet), headers, randomUUID());
    response.writeHead(417, problem.headers).end(problem.body);
  });
};
