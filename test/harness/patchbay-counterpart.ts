import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

type Heard = { method: string; url: string; headers: IncomingMessage['headers']; body: string };
type Respond = (request: Heard, response: ServerResponse) => unknown;

const PROVIDER = { 'patchbay-from': 'provider', 'content-type': 'application/json' };

export const sendJson = (response: ServerResponse, body: unknown): unknown =>
  response.setHeader('content-type', 'application/json; charset=utf-8').end(JSON.stringify(body));

export const sendFromProvider = (
  response: ServerResponse,
  body: unknown,
  status = 200,
  headers: object = {},
): unknown => response.writeHead(status, { ...PROVIDER, ...headers }).end(JSON.stringify(body));

export const sendProblem = (
  response: ServerResponse,
  status: number,
  code: string,
  headers: object = {},
  more: object = {},
): unknown =>
  response.writeHead(status, { 'content-type': 'application/problem+json', 'x-request-id': 'req_1', ...headers }).end(
    JSON.stringify({
      type: 'about:blank',
      title: 'No',
      status,
      code,
      detail: `It's ${code}.`,
      requestId: 'req_1',
      ...more,
    }),
  );

/** A server on loopback that responds as a test says, where the client expects Patchbay. */
export const startCounterpart = async () => {
  const heard: Heard[] = [];
  let respond: Respond = (_request, response) => response.end();
  const server = createServer(async (incoming, response) => {
    const { method = '', url = '', headers } = incoming;
    const request = { method, url, headers, body: await text(incoming).catch(() => '') };
    heard.push(request);
    respond(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    heard,
    /** From now on, and what was heard is forgotten. */
    answer(next: Respond): void {
      heard.length = 0;
      respond = next;
    },
    async stop(): Promise<void> {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};
