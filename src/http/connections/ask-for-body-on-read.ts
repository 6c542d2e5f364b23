import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * For `Expect: 100-continue`. Node would ask for the body at once. This asks for it when somebody begins to read it, so
 * whatever refuses the request before that gets the caller to keep it.
 */
export const askForBodyOnRead = (request: IncomingMessage, response: ServerResponse): void => {
  const read = request._read;
  request._read = (size) => {
    request._read = read;
    // What is discarded after the response isn't asked for.
    if (!response.headersSent) response.writeContinue();
    request._read(size);
  };
};
