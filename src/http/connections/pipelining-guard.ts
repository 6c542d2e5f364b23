import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { tooManyUnanswered } from '../errors.ts';
import { bareProblem } from '../problems/bare-problem.ts';
import { stopParsing } from './stop-parsing.ts';

/** How many requests of a connection may be unanswered. Nearly all clients, including browsers, send one at a time. */
const MOST_UNFINISHED = 4;

/** The last request of a connection, and when it arrived. */
type LastRequest = { last: ServerResponse; at: number };
type Line = LastRequest & { responses: ServerResponse[]; isOver: boolean };

export type PipeliningGuard = {
  /** False if the request is one too many, and was refused. */
  admit(request: IncomingMessage, response: ServerResponse): boolean;
  /** Whether the connection ends after the pending responses, so that nothing more is read from it. */
  isOver(socket: Socket): boolean;
  /** The last request on a connection. Undefined before the first one. */
  lastOn(socket: Socket): LastRequest | undefined;
  /** How many bytes are in responses that wait until earlier responses on the connection are sent. */
  countBytesInLine(socket: Socket): number;
};

/**
 * Limits how many requests a connection sends without reading the responses. Each unread response holds memory and
 * perhaps a file. After the first few requests, the next one is refused and the connection ends.
 *
 * Call `admit` as soon as a request arrives, before anything else. Node starts all requests of a packet, possibly
 * thousands, in one turn of the event loop. Refusing one this early keeps Node from parsing the rest.
 */
export const createPipeliningGuard = (headers: Record<string, string> = {}): PipeliningGuard => {
  const lines = new WeakMap<Socket, Line>();

  const refuse = (response: ServerResponse): void => {
    const refusal = tooManyUnanswered(MOST_UNFINISHED);
    const problem = bareProblem(refusal, headers, randomUUID());
    response.writeHead(refusal.status, problem.headers).end(problem.body);
  };

  return {
    admit({ socket }, response) {
      // Skip the rest of the packet. There is nobody left to respond to.
      if (socket.destroyed) return false;
      const responses = (lines.get(socket)?.responses ?? []).filter(({ writableFinished }) => !writableFinished);
      responses.push(response);
      const isOver = responses.length > MOST_UNFINISHED;
      lines.set(socket, { last: response, at: performance.now(), responses, isOver });
      if (!isOver) return true;
      stopParsing(socket);
      refuse(response);
      return false;
    },
    isOver: (socket) => lines.get(socket)?.isOver ?? false,
    lastOn: (socket) => lines.get(socket),
    countBytesInLine(socket) {
      const inLine = lines.get(socket)?.responses.filter((response) => response.socket === null) ?? [];
      return inLine.reduce((sum, { writableLength }) => sum + writableLength, 0);
    },
  };
};
