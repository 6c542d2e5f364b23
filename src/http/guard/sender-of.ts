import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { cleanForwardedFor } from './clean-forwarded-for.ts';
import { strangerKey } from './stranger-key.ts';

/**
 * Who sent a request, as far as the address tells: what `strangerKey(request.ip)` will be once Fastify has the request.
 * A proxy's requests are told apart by the addresses that it forwards.
 */
export const createSenderOf = (isTrusted: (address: string | undefined) => boolean) => {
  /** Null for a proxy's connections. */
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
