import { once } from 'node:events';
import { connect, isIP, type Socket } from 'node:net';
import { addAbortSignal } from 'node:stream';
import { connect as connectSecurely } from 'node:tls';
import { hostOf } from './parse-url.ts';

/** Starts a connection to one of these IP addresses. */
export type Dial = (addresses: readonly string[], port: number) => Socket;

/** How long connecting to one IP address may take. Node's default of 250 ms gives up on distant hosts. */
const NEXT_ADDRESS_MS = 1_000;

/** Connects to the IP addresses that were checked. By now, the name could resolve to others (DNS rebinding). */
export const dialAddresses: Dial = (addresses, port) =>
  connect({
    host: 'checked',
    port,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS,
    lookup: (_host, _options, done) =>
      done(
        null,
        addresses.map((address) => ({ address, family: isIP(address) })),
      ),
  });

const opened = async (socket: Socket, event: 'connect' | 'secureConnect', signal: AbortSignal): Promise<Socket> => {
  addAbortSignal(signal, socket);
  await once(socket, event);
  return socket;
};

const portOf = ({ port, protocol }: URL): number => {
  if (port !== '') return Number(port);
  return protocol === 'https:' ? 443 : 80;
};

/**
 * Opens a connection to a checked IP address. For https, the certificate must be valid for the URL's host. TLS starts
 * only once TCP is connected: while Node tries several addresses, it replaces the handle that TLS would wrap.
 */
export const openSocket = async (
  { dial }: { dial: Dial },
  url: URL,
  addresses: readonly string[],
  signal: AbortSignal,
): Promise<Socket> => {
  const socket = await opened(dial(addresses, portOf(url)), 'connect', signal);
  if (url.protocol === 'http:') return socket;
  const host = hostOf(url);
  const secure = connectSecurely({
    socket,
    host,
    servername: isIP(host) === 0 ? host : '',
    ALPNProtocols: ['http/1.1'],
    // Explicit, because NODE_TLS_REJECT_UNAUTHORIZED=0 changes the default.
    rejectUnauthorized: true,
  });
  return opened(secure, 'secureConnect', signal);
};
