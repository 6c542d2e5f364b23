import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * For `Expect: 100-continue`. Node would ask for the body at once. This asks for it when somebody begins to read it, so
 * whatever refuses the request before that gets the caller to keep it.
 */
export const askForBodyOnRead = (request: IncomingMessage, response: ServerResponse): void => {
  const read = request._read;
  // What is discarded after the response isn't asked for, and neither is what has arrived already.
  const ask = (): void => {
    if (!response.headersSent && !request.complete) response.writeContinue();
  };
  request._read = (size) => {
    request._read = read;
    // Before it's this response's turn, Node would keep what is written, and put the head of the response before it.
    if (response.socket) ask();
    else response.once('socket', ask);
    request._read(size);
  };
};
