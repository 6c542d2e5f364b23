import type { Occasion, Plan, Step } from './answer-plan.ts';
import type { Report } from './call-event.ts';
import type { Delivery } from './delivery.ts';
import type { Party } from './party.ts';

/** A secret of an account. Several at once, for rotation. */
export type AccountSecret = { id: string; value: string };

export type VerifyContext = {
  /** The configured public address. What the request says of host and scheme counts for nothing. */
  publicUrl: string;
  now: number;
};

export type Verdict =
  | { ok: true; secretId: string }
  | { ok: false; reason: 'missing' | 'bad_signature' | 'stale' | 'malformed' };

/** A document that the provider carries out, or an empty acknowledgement. */
export type ReplyDocument = { status: number; contentType: string | null; body: string };

export type ReplyContext = {
  /** The address of a later step of the same call, on our voice route. */
  stepUrl(step: Step): string;
  recordingUrl: string;
};

/** What an admin has to do at the provider. */
export type SetupAdvice = { voiceUrl: string; statusUrl: string; recordingUrl: string; notes: readonly string[] };

/** A telephony provider: a closed folder that knows its own parameters, signature and language, and nothing of ours. */
export type TelephonyProvider = {
  id: string;
  name: string;
  /** By parameters and headers; `Authorization` alone makes no delivery. */
  recognizes(delivery: Delivery): boolean;
  /** The account that the payload names, which proves nothing yet. */
  accountIdOf(delivery: Delivery): string | null;
  verify(delivery: Delivery, secrets: readonly AccountSecret[], context: VerifyContext): Verdict;
  /** What a verified delivery says. Never throws: what is not understood is kept as it is. */
  report(delivery: Delivery, receivedAt: number): Report;
  /** What the delivery asks us to say. */
  occasionOf(delivery: Delivery): Occasion;
  /** The number that was called, by which the answer is found. */
  calledParty(delivery: Delivery): Party;
  render(plan: Plan, context: ReplyContext): ReplyDocument;
  /** For a delivery that asks for nothing. */
  acknowledge(): ReplyDocument;
  advise(addresses: { voice: string; recording: string }): SetupAdvice;
};
