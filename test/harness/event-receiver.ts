import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';

export type ReceivedEvent = {
  path: string;
  headers: Record<string, string>;
  body: string;
  event: {
    id: string;
    type: string;
    sequence: number;
    team: { id: string; key: string | null };
    data: Record<string, unknown>;
  };
};

type Respond = (received: ReceivedEvent, response: ServerResponse) => void;

const accept: Respond = (_, response) => void response.writeHead(204).end();

/** A product's server that receives events. `respond` says how; `verify` checks a signature with the reference library. */
export const startEventReceiver = async () => {
  const received: ReceivedEvent[] = [];
  const receiver = { respond: accept };
  const listen = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request);
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    const one = { path: request.url ?? '', headers, body, event: JSON.parse(body) };
    received.push(one);
    receiver.respond(one, response);
  };
  const server = createServer((request, response) => void listen(request, response).catch(() => response.destroy()));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return Object.assign(receiver, {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    accept,
    respondWith: (status: number, headers: Record<string, string> = {}) => {
      receiver.respond = (_, response) => void response.writeHead(status, headers).end();
    },
    verify: (secret: string, { headers, body }: ReceivedEvent): unknown => new Webhook(secret).verify(body, headers),
    typesTo: (path: string): string[] => received.filter((one) => one.path === path).map(({ event }) => event.type),
    async close(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
};

export type EventReceiver = Awaited<ReturnType<typeof startEventReceiver>>;
