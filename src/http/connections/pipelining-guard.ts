import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Browsers send one at a time, and so does nearly everything else. */
const MOST_PENDING = 4;

/** The last request of a connection, and when it arrived. */
export type LastRequest = { last: ServerResponse; at: number };
type Line = LastRequest & { pending: number };

export type PipeliningGuard = {
  /** False if the connection has been ended. */
  admit(request: IncomingMessage, response: ServerResponse): boolean;
  /** Undefined before its first request. */
  lastOn(socket: Socket): LastRequest | undefined;
};

/**
 * Ends a connection that keeps sending requests without reading the responses. Each unread response holds memory and
 * perhaps a file. Responses go out in order, so the last one stands for all of them.
 *
 * It must be asked as soon as a request arrives, before anything else: Node starts everything that came in one packet
 * in the same turn, which may be thousands, and a connection that is ended at once is read no further.
 */
export const createPipeliningGuard = (): PipeliningGuard => {
  const lines = new WeakMap<Socket, Line>();
  return {
    admit({ socket }, response) {
      // The rest of the packet: there is nobody left to respond to.
      if (socket.destroyed) return false;
      const line = lines.get(socket);
      if (!line) {
        lines.set(socket, { last: response, at: performance.now(), pending: 0 });
        return true;
      }
      line.pending = line.last.writableFinished ? 0 : line.pending + 1;
      line.last = response;
      line.at = performance.now();
      if (line.pending <= MOST_PENDING) return true;
      socket.destroy();
      return false;
    },
    lastOn: (socket) => lines.get(socket),
  };
};
