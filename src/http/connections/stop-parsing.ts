import type { Socket } from 'node:net';

/**
 * The functions that Node calls for each request head, and for each piece of a body. There's no public API to replace
 * them.
 */
type Parser = { onIncoming: (() => number) | null; constructor: { kOnBody: number }; [callback: number]: unknown };

/** An unexpected return value, which makes the parser stop with an error. */
const STOP = -1;

/**
 * Stops parsing what a connection sends, even in the middle of a packet. Node reads 64 KiB at a time and would parse
 * all of it: thousands of requests, or pieces of a body. Other connections reuse the parser, so its functions are
 * restored when this connection closes.
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

/** Ends a connection, even in the middle of a packet, without parsing the rest. */
export const endUnparsed = (socket: Socket): void => {
  stopParsing(socket);
  socket.destroy();
};
