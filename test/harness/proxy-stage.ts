import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestOptions, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { Engine } from '../../src/platform/index.ts';
import { openIntegrationsStage } from './integrations-stage.ts';
import { allRecords } from './provider-file.ts';
import { listenOnLoopback } from './raw-http.ts';

type Handle = (request: IncomingMessage, response: ServerResponse) => unknown;

/** What the API got. */
export type Received = { method: string; url: string; headers: IncomingMessage['headers']; body: string };

const toReceived = async (incoming: IncomingMessage): Promise<Received> => {
  const { method = '', url = '', headers } = incoming;
  return { method, url, headers, body: (await buffer(incoming)).toString() };
};

/** A provider's API on loopback. A test says how it responds. */
export const startApi = async () => {
  const received: Received[] = [];
  const usual: Handle = async (incoming, response) => {
    received.push(await toReceived(incoming));
    response.setHeader('content-type', 'application/json').end('{"ok":true}');
  };
  const api = { handle: usual };
  const server = createServer((incoming, response) => {
    // A request that is called off is none of its business.
    Promise.resolve(api.handle(incoming, response)).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    server,
    url: `http://127.0.0.1:${port}`,
    received,
    /** From now on. It may note what it received. */
    answer(handle: Handle): void {
      api.handle = handle;
    },
    reset(): void {
      received.length = 0;
      api.handle = usual;
    },
    note: async (incoming: IncomingMessage): Promise<void> => void received.push(await toReceived(incoming)),
    async stop(): Promise<void> {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};

/** The code of a refusal. */
export const problemIn = ({ body }: { body: string }): string => JSON.parse(body).code;

export type Answered = { status: number; headers: IncomingMessage['headers']; body: string };

const PROVIDER = 'acme-full';

const apiRecord = (url: string) => ({
  url: `${url}/v1`,
  hosts: { uploads: `${url}/uploads` },
  headers: { 'X-Version': '2026-01' },
});

const toRecord = (
  record: { id: string; revoke?: object },
  { kills, ...others }: Record<string, unknown>,
  api: object,
) => {
  const revoke = kills === undefined ? {} : { revoke: { ...record.revoke, kills } };
  return { ...record, ...revoke, ...others, api };
};

/**
 * The whole service with an OAuth server beside it, and the API that its tokens are for. `changes` are to its `api`, and
 * `others` to the rest of its entry, where `kills` is what a revocation ends.
 */
export const openProxyStage = async (
  engine: Engine,
  changes: Record<string, unknown> = {},
  env: Record<string, string> = {},
  others: Record<string, unknown> = {},
) => {
  const api = await startApi();
  const stage = await openIntegrationsStage(engine, {
    env,
    records: (issuer) =>
      allRecords(issuer).map((record) =>
        record.id === PROVIDER ? toRecord(record, others, { ...apiRecord(api.url), ...changes }) : record,
      ),
  });
  const port = await listenOnLoopback(stage.server);

  /** Sends the path as it is: `fetch` would tidy it up. */
  const begin = (path: string, options: RequestOptions) =>
    request({ host: '127.0.0.1', port, path, agent: false, ...options });

  return {
    ...stage,
    api,
    port,
    begin,
    /** A team that is connected, and its admin's headers. */
    async connected(connection?: string) {
      const team = await stage.newTeam();
      await team.at.connect(PROVIDER, stage.newAccount(), connection === undefined ? {} : { connection });
      return { ...team, headers: team.admin.headers };
    },
    /** The path of a request to the API. */
    proxied: (path: string): string => `/api/integrations/${PROVIDER}/proxy/${path}`,
    async call(path: string, options: RequestOptions & { body?: string | Buffer } = {}): Promise<Answered> {
      const { body, ...others } = options;
      const sent = begin(path, others);
      sent.end(body);
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      const { statusCode: status = 0, headers } = response;
      return { status, headers, body: (await buffer(response)).toString() };
    },
    async close(): Promise<void> {
      await stage.close();
      await api.stop();
    },
  };
};

export type ProxyStage = Awaited<ReturnType<typeof openProxyStage>>;
