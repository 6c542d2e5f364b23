import type { FastifyReply, FastifyRequest } from 'fastify';
import { createRateLimit, rateLimited, strangerKey } from '../../http/index.ts';
import { createSlots, createTurnQueue } from '../../platform/index.ts';
import type { TelephonyContext } from '../contract/context.ts';
import { type Delivery, hasOurQuery, queryOf } from '../contract/delivery.ts';
import { signatureInvalid, tooBusy } from '../errors.ts';
import { isLight, isLightLength, weigh } from './delivery-weight.ts';

/** Refusals by IP address, and by the account they name. */
const PER_MINUTE = { address: 600, account: 6_000 } as const;
/** How many senders that were asked for a password are remembered; the oldest is forgotten first. */
const MOST_CHALLENGED = 10_000;
/** How long those in line may hold the event loop per turn. */
const SHARE_MS = { strangers: 4, others: 4 } as const;
/** How many large bodies are read at a time per IP address; the others stay on the wire. */
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

/** How many requests of each sender were asked for a password and haven't been followed by one that verifies. */
const createChallenges = () => {
  const open = new Map<string, number>();
  return {
    add(sender: string): void {
      const count = open.get(sender) ?? 0;
      if (count === 0 && open.size >= MOST_CHALLENGED) open.delete(open.keys().next().value ?? '');
      open.set(sender, Math.min(count + 1, PER_MINUTE.address));
    },
    /** Whether there was one. */
    settle(sender: string): boolean {
      const count = open.get(sender) ?? 0;
      if (count > 1) open.set(sender, count - 1);
      else open.delete(sender);
      return count > 0;
    },
  };
};

/** Reports what became of a delivery. */
export type Verdicts = {
  /** Returns how many seconds the sender has to wait, or 0. */
  refused(): number;
  /** It was refused only to be asked for its password. */
  challenged(): void;
  verified(): void;
};

/**
 * Limits what a delivery may cost before we know whose it is.
 *
 * A verified delivery is never refused because there are too many, and providers share IP addresses. So everything is
 * verified, but a delivery waits in line for a small share of the time if it is large, names an account with many
 * refusals, or comes from an IP address with many refusals; the last ones have a line of their own. From such an
 * address only small deliveries are accepted, and that is checked before the body is read. Some providers send
 * their password only when asked for it, so a verified delivery gives back what one such request took, and nothing else.
 */
export const createStrangerLimit = ({ clock }: TelephonyContext) => {
  const addresses = createRateLimit({ clock, perMinute: PER_MINUTE.address });
  const accounts = createRateLimit({ clock, perMinute: PER_MINUTE.account });
  const challenges = createChallenges();
  const bodies = createSlots(BODIES_AT_ONCE);
  const strangers = createLine(SHARE_MS.strangers);
  const others = createLine(SHARE_MS.others);

  /** The account our URL names, if we could have written it. */
  const accountOf = (delivery: Delivery): string | null =>
    hasOurQuery(delivery) ? queryOf(delivery).get('account') : null;

  return {
    /** Before the body is read. Null if that may happen right away. */
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
    /** Before the delivery is parsed. Null if that may happen right away. */
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
        challenged: () => challenges.add(strangerKey(ip)),
        verified() {
          if (challenges.settle(strangerKey(ip))) addresses.giveBack(strangerKey(ip));
        },
      };
    },
  };
};
