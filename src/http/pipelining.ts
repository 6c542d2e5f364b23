import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

const MOST_UNANSWERED = 20;

type Line = { last: ServerResponse; unanswered: number };

/**
 * Ends a connection that asks on and on without taking its answers: Node begins everything that came in one packet, and
 * each answer that nobody reads holds memory and perhaps a file. Answers go out in order, so the last one tells of all.
 */
export const createPipeliningGuard = () => {
  const lines = new WeakMap<Socket, Line>();
  return {
    /** False where the connection was ended. */
    admit({ socket }: IncomingMessage, response: ServerResponse): boolean {
      const line = lines.get(socket);
      const unanswered = line && !line.last.writableFinished ? line.unanswered + 1 : 0;
      if (unanswered > MOST_UNANSWERED) {
        socket.destroy();
        return false;
      }
      lines.set(socket, { last: response, unanswered });
      return true;
    },
  };
};
