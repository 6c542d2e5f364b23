import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { endUnparsed } from './end-unparsed.ts';

/** Browsers send one at a time, and so does nearly everything else. */
const MOST_UNFINISHED = 4;

/** The last request of a connection, and when it arrived. */
export type LastRequest = { last: ServerResponse; at: number };
type Line = LastRequest & { responses: ServerResponse[] };

export type PipeliningGuard = {
  /** False if the connection has been ended. */
  admit(request: IncomingMessage, response: ServerResponse): boolean;
  /** Undefined before its first request. */
  lastOn(socket: Socket): LastRequest | undefined;
  /** What responses hold that wait for others on the connection to go out first. */
  countBytesInLine(socket: Socket): number;
};

/**
 * Ends a connection that keeps sending requests without reading the responses. Each unread response holds memory and
 * perhaps a file.
 *
 * It must be asked as soon as a request arrives, before anything else: Node starts everything that came in one packet
 * in the same turn, which may be thousands. So the packet isn't parsed to the end.
 */
export const createPipeliningGuard = (): PipeliningGuard => {
  const lines = new WeakMap<Socket, Line>();
  return {
    admit({ socket }, response) {
      // The rest of the packet: there is nobody left to respond to.
      if (socket.destroyed) return false;
      const responses = (lines.get(socket)?.responses ?? []).filter(({ writableFinished }) => !writableFinished);
      responses.push(response);
      lines.set(socket, { last: response, at: performance.now(), responses });
      if (responses.length <= MOST_UNFINISHED) return true;
      endUnparsed(socket);
      return false;
    },
    lastOn: (socket) => lines.get(socket),
    countBytesInLine(socket) {
      const inLine = lines.get(socket)?.responses.filter((response) => response.socket === null) ?? [];
      return inLine.reduce((sum, { writableLength }) => sum + writableLength, 0);
    },
  };
};
