import type { IncomingMessage } from 'node:http';
import { endUnparsed } from './stop-parsing.ts';

/** How many pieces a body may have, however small they are. */
const FREE_PIECES = 1_000;
/** How large the pieces must be on average if a body has more than `FREE_PIECES`. */
const LEAST_BYTES = 64;

/** Node calls this to discard a body that nobody has read. There's no public API for it. */
type Discarding = { _dump(): void };

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/**
 * Ends a connection whose body comes in very many tiny pieces: a chunk of a single byte costs about as much as a chunk
 * of 64 KiB. Counts the pieces as Node's parser finds them, whether the body is read, waits to be read, or was refused.
 */
export const meterBody = (request: IncomingMessage): void => {
  if (!hasBody(request)) return;
  const { socket } = request;
  const push = request.push;
  let [pieces, bytes] = [0, 0];
  request.push = (piece: Buffer | null, encoding) => {
    if (socket.destroyed) return true;
    if (piece !== null) {
      pieces++;
      bytes += piece.length;
      if (pieces > FREE_PIECES && bytes < pieces * LEAST_BYTES) endUnparsed(socket);
    }
    return push.call(request, piece, encoding);
  };
  // Node's own `_dump` bypasses `push`, so its pieces wouldn't be counted.
  (request as IncomingMessage & Discarding)._dump = () => {
    request.removeAllListeners('data');
    request.resume();
  };
};
