import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * Handles `Expect: 100-continue`. Node would ask for the body at once. This asks for it only when it's about to be
 * read, so that the body of a request that is refused earlier is never sent.
 */
export const askForBodyOnRead = (request: IncomingMessage, response: ServerResponse): void => {
  const read = request._read;
  // Don't ask for a body that is discarded after the response, or that has arrived already.
  const ask = (): void => {
    if (!response.headersSent && !request.complete) response.writeContinue();
  };
  request._read = (size) => {
    request._read = read;
    // Until earlier responses on the connection are sent, Node would hold the `100 Continue` back and write the
    // response's head before it.
    if (response.socket) ask();
    else response.once('socket', ask);
    request._read(size);
  };
};
