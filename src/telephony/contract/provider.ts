import type { Occasion, Plan, Step } from './answer-plan.ts';
import type { RecordingEvent, Report } from './call-event.ts';
import type { Delivery } from './delivery.ts';
import type { Party } from './party.ts';
import type { Simulator } from './simulated-call.ts';

/** A secret of an account that verifies deliveries. Several at once, for rotation. */
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
  /**
   * The secret that has verified the delivery, for a provider that must be told with every address how to prove itself
   * there. Null where nothing was verified: whoever asks then may be anybody.
   */
  verifiedWith: string | null;
};

/** What an admin has to do at the provider. */
export type SetupAdvice = { voiceUrl: string; statusUrl: string; recordingUrl: string; notes: readonly string[] };

/** What an admin types in: how the provider calls it, and what is said where it does not fit. */
export type FieldRule = {
  label: string;
  pattern: RegExp;
  hint: string;
  /** How it is typed in: hidden, where it is left out. */
  input?: 'text' | 'lines';
};

/** What an account of this provider is made of. */
export type AccountRules = {
  /** Null: deliveries name no account. */
  accountId: FieldRule | null;
  /** `isPublic`: it shows who has signed, and anybody may know it, so that having it does not show whose an account is. */
  secret: FieldRule & { isPublic?: true };
  /** What fetching recordings needs, by name; none of it: what verifies fetches too, or nothing is needed. */
  api: Readonly<Record<string, FieldRule>>;
};

/** An account as the work needs it: opened, in memory only. */
export type ProviderAccount = {
  accountId: string | null;
  secrets: readonly AccountSecret[];
  api: Readonly<Record<string, string>>;
};

export type RecordingLocator = Pick<RecordingEvent, 'recordingId' | 'mediaUrl'>;

/**
 * A request for a recording. Headers, and with them credentials, go to the first hop alone. Hosts are whole names;
 * one that begins with a dot stands for everything below it.
 */
export type MediaRequest = {
  url: string;
  headers: Readonly<Record<string, string>>;
  hosts: readonly string[];
  redirectHosts: readonly string[];
  /** Where a bearer token for this request is had, with credentials that go there alone. */
  token?: { url: string; headers: Readonly<Record<string, string>>; body: string; hosts: readonly string[] };
};

/** `missing`: what an admin has to give before it can be fetched. */
export type MediaAnswer = MediaRequest | { missing: string };

export type SampleContext = {
  /** Where it is sent, as it is signed. */
  address: string;
  accountId: string | null;
  secret: string;
  now: number;
};

/** The headers, with the proof among them, and the body of a POST. */
export type SampleNotice = { headers: Readonly<Record<string, string>>; body: string };

/** A telephony provider: a closed folder that knows its own parameters, signature and language, and nothing of ours. */
export type TelephonyProvider = {
  id: string;
  name: string;
  rules: AccountRules;
  /** `WWW-Authenticate` of the 401 by which this provider is asked for its credentials; null: a refusal is a 403. */
  challenge: string | null;
  /** By parameters and headers; `Authorization` alone makes no delivery. */
  recognizes(delivery: Delivery): boolean;
  /** The account that the payload names, which proves nothing yet. */
  accountIdOf(delivery: Delivery): string | null;
  verify(delivery: Delivery, secrets: readonly AccountSecret[], context: VerifyContext): Verdict;
  /** The same for every repetition of the delivery, and made of signed material alone. */
  keyOf(delivery: Delivery): string;
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
  /** Where a recording is fetched: an address made of ids where the provider has one. */
  mediaOf(recording: RecordingLocator, account: ProviderAccount): MediaAnswer | Promise<MediaAnswer>;
  /** The DELETE that removes a recording at the provider; null: there is none. */
  removalOf(recording: RecordingLocator, account: ProviderAccount): MediaAnswer | Promise<MediaAnswer> | null;
  /** A notice of a call that never was, signed as the provider would sign it; null: nobody else can. */
  sampleNotice(context: SampleContext): SampleNotice | null;
  /** How its webhooks are played without a phone, where that is known. */
  simulator?: Simulator;
};
