import type { FastifyReply, FastifyRequest } from 'fastify';
import { createRateLimit, rateLimited, strangerKey } from '../../http/index.ts';
import { type Clock, createSlots, createTurnQueue } from '../../platform/index.ts';
import { type Delivery, hasOurQuery, queryOf } from '../contract/delivery.ts';
import { signatureInvalid, tooBusy } from '../errors.ts';
import { isLight, isLightLength, weigh } from './delivery-weight.ts';

/** Refusals, by the address they come from, and by the account that they name. */
const PER_MINUTE = { address: 600, account: 6_000 } as const;
/** How long those who wait in line may hold the event loop in each of its turns. */
const SHARE_MS = { strangers: 4, others: 4 } as const;
/** Large bodies that are read at a time, for each address: the others are left on the wire. */
const BODIES_AT_ONCE = 4;
/** What may wait in a line, together. */
const MOST_WAITING_BYTES = 16 * 1024 * 1024;

const createLine = (shareMs: number) => {
  const queue = createTurnQueue(shareMs);
  let waitingBytes = 0;
  return {
    async wait(bytes: number): Promise<void> {
      if (waitingBytes + bytes > MOST_WAITING_BYTES) throw tooBusy();
      waitingBytes += bytes;
      await queue.wait();
      waitingBytes -= bytes;
    },
  };
};

/** What became of a delivery, told to whoever keeps count. */
export type Verdicts = {
  /** Answers how many seconds the sender has to wait, or 0. */
  refused(): number;
  verified(): void;
};

/**
 * What a delivery may cost before anybody knows whose it is.
 *
 * A verified delivery is never refused for its number, and providers share addresses. So everything is verified, but
 * what is large, names an account that much is refused for, or comes from where much was refused, waits in line for a small
 * part of the time; the last in a line of their own. Where much was refused, only what is quickly read is taken, and that
 * is looked at before the body is. What verifies gives back what a refusal took: some providers send their password only
 * when they are asked for it.
 */
export const createStrangerLimit = ({ clock }: { clock: Clock }) => {
  const addresses = createRateLimit({ clock, perMinute: PER_MINUTE.address });
  const accounts = createRateLimit({ clock, perMinute: PER_MINUTE.account });
  const bodies = createSlots(BODIES_AT_ONCE);
  const strangers = createLine(SHARE_MS.strangers);
  const others = createLine(SHARE_MS.others);

  /** The account that our address names, if it is one that we could have written. */
  const accountOf = (delivery: Delivery): string | null =>
    hasOurQuery(delivery) ? queryOf(delivery).get('account') : null;

  return {
    /** Before the body is read. Null where that may be done at once. */
    beforeBody({ ip, headers }: FastifyRequest, reply: FastifyReply): Promise<void> | null {
      const length =
        headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : Number.POSITIVE_INFINITY;
      if (isLightLength(length)) return null;
      const waitSeconds = addresses.look(strangerKey(ip));
      if (waitSeconds > 0) throw rateLimited(waitSeconds);
      return bodies.take(strangerKey(ip)).then((release) => {
        if (reply.raw.closed) release();
        else reply.raw.once('close', release);
      });
    },
    /** Before what the delivery says is read; null where that may be done at once. */
    beforeReading({ ip }: FastifyRequest, delivery: Delivery): Promise<void> | null {
      const weight = weigh(delivery);
      const waitSeconds = addresses.look(strangerKey(ip));
      if (weight.isTooMuch) {
        addresses.take(strangerKey(ip));
        throw signatureInvalid();
      }
      if (waitSeconds > 0 && !isLight(weight)) throw rateLimited(waitSeconds);
      if (waitSeconds > 0) return strangers.wait(weight.bytes);
      const account = isLight(weight) ? accountOf(delivery) : null;
      const isUsual = isLight(weight) && (account === null || accounts.look(account) === 0);
      return isUsual ? null : others.wait(weight.bytes);
    },
    judge({ ip }: FastifyRequest, delivery: Delivery): Verdicts {
      return {
        refused() {
          const account = accountOf(delivery);
          if (account !== null) accounts.take(account);
          return addresses.take(strangerKey(ip));
        },
        verified: () => addresses.giveBack(strangerKey(ip)),
      };
    },
  };
};
