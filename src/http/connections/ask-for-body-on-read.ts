import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * Handles `Expect: 100-continue`. Node itself asks for the body at once. This asks for it only when it's about to be
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
    // Wait until this response has the socket. If we asked earlier, Node would queue `100 Continue` behind earlier
    // responses, and send this response's headers before it.
    if (response.socket) ask();
    else response.once('socket', ask);
    request._read(size);
  };
};
