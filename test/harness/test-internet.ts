import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { inspect } from 'node:util';
import { createOutbound, type OutboundSettings } from '../../src/platform/outbound/outbound.ts';
import { OutboundFailed, type OutboundReason } from '../../src/platform/outbound/outbound-failed.ts';

/** Self-signed until 2120, for `provider.test`, `storage.test` and 127.0.0.1. Useless outside the tests. */
const readPem = (name: string): string => readFileSync(new URL(`./tls/${name}.pem`, import.meta.url), 'utf8');

/** An address that is public and never connected to: guarded requests end up at the server on loopback. */
export const SOMEWHERE_PUBLIC = '93.184.215.14';

/** Stands for every secret that a request may carry. */
export const CANARY = 'canary-5e1f';

/** A request with a secret in every possible place. */
export const secretRequest = {
  url: `https://provider.test/token?code=${CANARY}`,
  method: 'POST',
  headers: {
    authorization: `Bearer ${CANARY}`,
    cookie: CANARY,
    'x-api-key': CANARY,
    range: 'bytes=0-',
    accept: 'audio/*',
  },
  body: `client_secret=${CANARY}`,
  timeoutMs: 60_000,
  mostBytes: 1_000_000,
} as const;

/** Expects the request to fail for this reason, with no secret in the error. */
export const expectFailure = (request: Promise<unknown>, reason: OutboundReason): Promise<void> =>
  assert.rejects(request, (error) => {
    assert.ok(error instanceof OutboundFailed, inspect(error));
    assert.equal(error.reason, reason, error.message);
    assert.doesNotMatch(inspect(error, { showHidden: true, depth: 9 }), new RegExp(CANARY));
    return true;
  });

const closed = async (socket: Socket): Promise<void> => {
  if (!socket.closed) await new Promise((resolve) => socket.once('close', resolve));
};

/**
 * One https server on loopback that stands for every public host, and a guard, configured as in production, that
 * reaches it. Until it's closed, this process trusts only the test certificate.
 */
export const startTestInternet = async (answer: RequestListener, settings: Partial<OutboundSettings> = {}) => {
  const trusted = getCACertificates('default');
  setDefaultCACertificates([readPem('certificate')]);
  const dialled: { addresses: readonly string[]; port: number; socket: Socket }[] = [];
  const asked: { name: string | false | undefined; host: string | undefined }[] = [];
  const server = createServer({ key: readPem('key'), cert: readPem('certificate') }, (request, response) => {
    const name = 'servername' in request.socket ? (request.socket.servername as string | false) : undefined;
    asked.push({ name, host: request.headers.host });
    answer(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port: serverPort } = server.address() as AddressInfo;
  const network: OutboundSettings = {
    allowPrivate: false,
    resolve: async () => [SOMEWHERE_PUBLIC],
    dial(addresses, port) {
      const socket = connect(serverPort, '127.0.0.1');
      dialled.push({ addresses, port, socket });
      return socket;
    },
    ...settings,
  };
  return {
    outbound: createOutbound(network),
    /** For guards of other kinds. */
    network,
    port: serverPort,
    /** Every connection that the guard has started. */
    dialled,
    /** Every request that has arrived: the name in TLS and the name in the `Host` header. */
    asked,
    /** Waits until no connection is left. */
    allClosed: () => Promise.all(dialled.map(({ socket }) => closed(socket))),
    async close(): Promise<void> {
      setDefaultCACertificates(trusted);
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};

export type TestInternet = Awaited<ReturnType<typeof startTestInternet>>;
