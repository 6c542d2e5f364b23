import type { FastifyRequest } from 'fastify';
import { createStrangerGate, REFUSALS_PER_MINUTE, strangerKey } from '../../http/index.ts';
import { createRateLimit } from '../../platform/index.ts';
import type { TelephonyContext } from '../context.ts';
import { type Delivery, hasOurQuery, queryOf } from '../contract/delivery.ts';
import { deliverySignatureInvalid, tooBusy } from '../errors.ts';
import { isLight, weigh } from './delivery-weight.ts';

/** Refusals per minute for one account named in our URL. Beyond this, deliveries that name the account wait. */
const PER_ACCOUNT = 6_000;
/** How many senders that were asked for a password are remembered. The oldest is forgotten first. */
const MOST_CHALLENGED = 10_000;

/** Counts, for each sender, the requests that were asked for a password and not yet followed by a verified one. */
const createChallenges = () => {
  const open = new Map<string, number>();
  return {
    add(sender: string): void {
      const count = open.get(sender) ?? 0;
      if (count === 0 && open.size >= MOST_CHALLENGED) open.delete(open.keys().next().value ?? '');
      open.set(sender, Math.min(count + 1, REFUSALS_PER_MINUTE));
    },
    /** Removes one request of the sender from the count. Returns whether there was one. */
    settle(sender: string): boolean {
      const count = open.get(sender) ?? 0;
      if (count > 1) open.set(sender, count - 1);
      else open.delete(sender);
      return count > 0;
    },
  };
};

/** Callbacks for the outcome of a delivery. */
export type Verdicts = {
  /** Returns how many seconds the sender has to wait, or 0. */
  refused(): number;
  /** Reports that the delivery was refused only to ask for its password. */
  challenged(): void;
  verified(): void;
};

/**
 * Limits what a delivery may cost before it's verified: see `createStrangerGate`. In addition, a delivery waits if its
 * URL names an account with many refusals. Some providers send their password only when asked. Asking for it is
 * recorded as a refusal, and a verified delivery takes back one such refusal of its sender.
 */
export const createStrangerLimit = ({ clock }: TelephonyContext) => {
  const gate = createStrangerGate({ clock, tooBusy });
  const accounts = createRateLimit({ clock, perMinute: PER_ACCOUNT });
  const challenges = createChallenges();

  /** Returns the account in the URL, if the query could be ours. */
  const accountOf = (delivery: Delivery): string | null =>
    hasOurQuery(delivery) ? queryOf(delivery).get('account') : null;

  return {
    /** Called before the body is read. Returns null if it may be read right away. */
    beforeBody: gate.beforeBody,
    /** Called before the delivery is parsed. Returns null if it may be parsed right away. */
    beforeReading(request: FastifyRequest, delivery: Delivery): Promise<void> | null {
      const weight = weigh(delivery);
      if (weight.isTooMuch) {
        gate.refused(request);
        throw deliverySignatureInvalid();
      }
      const account = isLight(weight) ? accountOf(delivery) : null;
      const isSuspect = account !== null && accounts.look(account) > 0;
      return gate.beforeReading(request, { bytes: weight.bytes, isLight: isLight(weight), isSuspect });
    },
    judge(request: FastifyRequest, delivery: Delivery): Verdicts {
      return {
        refused() {
          const account = accountOf(delivery);
          if (account !== null) accounts.take(account);
          return gate.refused(request);
        },
        challenged: () => challenges.add(strangerKey(request.ip)),
        verified() {
          if (challenges.settle(strangerKey(request.ip))) gate.giveBack(request);
        },
      };
    },
  };
};
