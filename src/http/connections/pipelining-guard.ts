import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Browsers send one at a time, and so does nearly everything else. */
const MOST_PENDING = 4;

type Line = { last: ServerResponse; pending: number };

/**
 * Ends a connection that keeps sending requests without reading the responses. Node starts everything that came in one
 * packet, and each unread response holds memory and perhaps a file. Responses go out in order, so the last one stands
 * for all of them.
 */
export const createPipeliningGuard = () => {
  const lines = new WeakMap<Socket, Line>();
  return {
    /** False if the connection was ended. */
    admit({ socket }: IncomingMessage, response: ServerResponse): boolean {
      const line = lines.get(socket);
      if (!line) {
        lines.set(socket, { last: response, pending: 0 });
        return true;
      }
      line.pending = line.last.writableFinished ? 0 : line.pending + 1;
      line.last = response;
      if (line.pending <= MOST_PENDING) return true;
      socket.destroy();
      return false;
    },
  };
};
