import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { cleanForwardedFor } from './clean-forwarded-for.ts';
import { strangerKey } from './stranger-key.ts';

/**
 * Identifies the sender of a request by IP address, as `strangerKey(request.ip)` will once Fastify has the request. For
 * requests through a proxy, it's the IP address that the proxy forwards.
 */
export const createSenderOf = (isTrusted: (address: string | undefined) => boolean) => {
  /** The sender of each connection. Null for a proxy, whose connections carry requests of many senders. */
  const known = new WeakMap<Socket, string | null>();

  const senderOn = (socket: Socket): string | null => {
    const remembered = known.get(socket);
    if (remembered !== undefined) return remembered;
    const sender = isTrusted(socket.remoteAddress) ? null : strangerKey(socket.remoteAddress);
    known.set(socket, sender);
    return sender;
  };

  const readForwarded = ({ socket, headers }: IncomingMessage): string => {
    const trail = cleanForwardedFor(String(headers['x-forwarded-for'] ?? '')).split(', ');
    const client = trail.findLast((address) => address !== '' && !isTrusted(address));
    return strangerKey(client ?? (trail[0] || socket.remoteAddress));
  };

  return (request: IncomingMessage): string => senderOn(request.socket) ?? readForwarded(request);
};
