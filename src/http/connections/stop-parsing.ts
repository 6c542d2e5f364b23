import type { Socket } from 'node:net';

/** What Node calls for each head, and for each piece of a body. There's no public API to end that. */
type Parser = { onIncoming: (() => number) | null; constructor: { kOnBody: number }; [callback: number]: unknown };

/** Anything else than what Node returns is an error, at which the parser stops. */
const STOP = -1;

/**
 * Begins nothing more that a connection sends, in the middle of a packet. Node reads 64 KiB at a time and would parse all
 * of it: thousands of requests, or pieces of a body. The parser is used again by other connections, so it gets back what
 * it needs for that.
 */
export const stopParsing = (socket: Socket): void => {
  const { parser } = socket as { parser?: Parser | null };
  if (!parser || socket.destroyed) return;
  const { kOnBody } = parser.constructor;
  const onBody = parser[kOnBody];
  parser.onIncoming = () => STOP;
  parser[kOnBody] = null;
  socket.prependOnceListener('close', () => {
    parser[kOnBody] = onBody;
  });
};

/** Ends a connection in the middle of a packet, because there is nobody left to respond to. */
export const endUnparsed = (socket: Socket): void => {
  stopParsing(socket);
  socket.destroy();
};
