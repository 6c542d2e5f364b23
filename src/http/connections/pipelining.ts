import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Browsers send one at a time, and so does nearly everything else. */
const MOST_UNANSWERED = 4;

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
      if (!line) {
        lines.set(socket, { last: response, unanswered: 0 });
        return true;
      }
      line.unanswered = line.last.writableFinished ? 0 : line.unanswered + 1;
      line.last = response;
      if (line.unanswered <= MOST_UNANSWERED) return true;
      socket.destroy();
      return false;
    },
  };
};
