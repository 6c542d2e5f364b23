import type { FastifyReply, FastifyRequest } from 'fastify';
import { createRateLimit, rateLimited, strangerKey } from '../http/index.ts';
import { type Clock, createSlots, createTurnQueue } from '../platform/index.ts';
import { type Delivery, queryOf } from './delivery.ts';
import { isLight, isLightLength, isTooMuch, weigh } from './delivery-weight.ts';
import { signatureInvalid, tooBusy } from './errors.ts';

/** Refusals, by the address they come from, and by the account that they name. */
const PER_MINUTE = { address: 600, account: 6_000 } as const;
/** How long strangers and large deliveries may hold the event loop in each of its turns. */
const SHARE_MS = 5;
/** Large bodies that are read at a time, for each address: the others are left on the wire. */
const BODIES_AT_ONCE = 4;
/** What waits for that, together. */
const MOST_WAITING_BYTES = 32 * 1024 * 1024;

/**
 * What a delivery may cost before anybody knows whose it is.
 *
 * A verified delivery is never refused for its number, and providers share addresses. So everything is verified, but
 * what is large, or comes from where much was refused, waits in a queue that gets a small part of the time. Whoever has been refused
 * too often may send only what is quickly read, and that is looked at before the body is taken.
 */
export const createStrangerLimit = ({ clock }: { clock: Clock }) => {
  const addresses = createRateLimit({ clock, perMinute: PER_MINUTE.address });
  const accounts = createRateLimit({ clock, perMinute: PER_MINUTE.account });
  const queue = createTurnQueue(SHARE_MS);
  const bodies = createSlots(BODIES_AT_ONCE);
  let waitingBytes = 0;

  const accountOf = (delivery: Delivery): string | null => queryOf(delivery).get('account');
  const waitOf = (address: string, account: string | null): number =>
    Math.max(addresses.look(strangerKey(address)), account === null ? 0 : accounts.look(account));

  const waitInLine = async (bytes: number): Promise<void> => {
    if (waitingBytes + bytes > MOST_WAITING_BYTES) throw tooBusy();
    waitingBytes += bytes;
    await queue.wait();
    waitingBytes -= bytes;
  };

  return {
    /** Before the body is read. Null where that may be done at once. */
    beforeBody({ ip, headers }: FastifyRequest, reply: FastifyReply): Promise<void> | null {
      const length = headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : Infinity;
      if (isLightLength(length)) return null;
      const waitSeconds = addresses.look(strangerKey(ip));
      if (waitSeconds > 0) throw rateLimited(waitSeconds);
      return bodies.take(strangerKey(ip)).then((release) => {
        if (reply.raw.closed) release();
        else reply.raw.once('close', release);
      });
    },
    /** Before it is read what the delivery says; null where that may be done at once. */
    admit({ ip }: FastifyRequest, delivery: Delivery): Promise<void> | null {
      const weight = weigh(delivery);
      const waitSeconds = waitOf(ip, accountOf(delivery));
      if (isTooMuch(delivery, weight)) throw signatureInvalid();
      if (isLight(weight)) return waitSeconds > 0 ? waitInLine(weight.bytes) : null;
      if (waitSeconds > 0) throw rateLimited(waitSeconds);
      return waitInLine(weight.bytes);
    },
    /** Counts one that was refused. Answers how many seconds to wait, or 0. */
    count({ ip }: FastifyRequest, delivery: Delivery): number {
      const account = accountOf(delivery);
      return Math.max(addresses.take(strangerKey(ip)), account === null ? 0 : accounts.take(account));
    },
  };
};

export type StrangerLimit = ReturnType<typeof createStrangerLimit>;
