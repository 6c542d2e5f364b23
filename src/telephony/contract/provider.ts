import type { Occasion, Plan, Step } from './answer-plan.ts';
import type { DeliveryFacts, RecordingEvent } from './call-event.ts';
import type { Delivery } from './delivery.ts';
import type { Party } from './party.ts';
import type { Simulator } from './simulated-call.ts';
import type { SpokenLanguage } from './speech.ts';

/** A secret that verifies an account's deliveries. There can be several, for rotation. */
export type AccountSecret = { id: string; value: string };

export type VerifyContext = {
  /** The configured public URL. The request's own host and scheme are ignored. */
  publicUrl: string;
  now: number;
};

export type DeliveryVerdict =
  | { ok: true; secretId: string }
  | { ok: false; reason: 'missing' | 'bad_signature' | 'stale' | 'malformed' };

/** A document for the provider to carry out, or an empty acknowledgment. */
export type ReplyDocument = { status: number; contentType: string | null; body: string };

export type ReplyContext = {
  /** The URL of a later step of the same call, on our voice route. */
  stepUrl(step: Step): string;
  recordingUrl: string;
  /**
   * The secret that verified the delivery, for a provider that needs credentials with every URL. Null if nothing was
   * verified: then anyone may be asking.
   */
  verifiedWith: string | null;
};

/** What an admin has to do at the provider. */
type SetupAdvice = { voiceUrl: string; statusUrl: string; recordingUrl: string; notes: readonly string[] };

/** A field an admin fills in: the provider's name for it, what it looks like, and where the provider shows it. */
export type FieldRule = {
  label: string;
  pattern: RegExp;
  hint: string;
  /** How it's entered; hidden if left out. */
  input?: 'text' | 'lines';
};

/** The fields of this provider's accounts. */
type AccountRules = {
  /** Null if deliveries name no account. */
  accountId: FieldRule | null;
  /** `isPublic`: a public key. Anyone may have it, so having it doesn't prove who owns an account. */
  secret: FieldRule & { isPublic?: true };
  /** Credentials for recordings, by name. Empty if the secret is enough, or none are needed. */
  api: Readonly<Record<string, FieldRule>>;
  /** What these are needed for, as a sentence. */
  apiUse?: string;
};

/** An opened account. Only ever in memory. */
export type ProviderAccount = {
  accountId: string | null;
  secrets: readonly AccountSecret[];
  api: Readonly<Record<string, string>>;
};

export type RecordingLocator = Pick<RecordingEvent, 'recordingId' | 'mediaUrl'>;

/**
 * A request for a recording. Headers, and so credentials, go only to the first hop. Hosts are full names; one that
 * starts with a dot stands for all its subdomains.
 */
export type MediaRequest = {
  url: string;
  headers: Readonly<Record<string, string>>;
  hosts: readonly string[];
  redirectHosts: readonly string[];
  /** Where to get a bearer token for this request, with credentials that go only there. */
  token?: { url: string; headers: Readonly<Record<string, string>>; body: string; hosts: readonly string[] };
};

/** `missing`: what an admin must add before it can be fetched. */
export type MediaLookup = MediaRequest | { missing: string };

type SampleContext = {
  /** The URL it is sent to and signed for. */
  address: string;
  accountId: string | null;
  secret: string;
  now: number;
};

/** The headers, including the signature, and the body of a POST. */
export type SampleNotice = { headers: Readonly<Record<string, string>>; body: string };

/** A telephony provider: a closed folder that knows its own parameters, signature and language, and nothing else. */
export type TelephonyProvider = {
  id: string;
  name: string;
  rules: AccountRules;
  /** The languages and voices that it's known to have, each named as in its own documents. */
  languages: readonly SpokenLanguage[];
  /** `WWW-Authenticate` of the 401 that asks this provider for its credentials; null if a refusal is a 403. */
  challenge: string | null;
  /** By parameters and headers; `Authorization` alone isn't enough. */
  recognizes(delivery: Delivery): boolean;
  /** The account that the payload names, which proves nothing yet. */
  accountIdOf(delivery: Delivery): string | null;
  verify(delivery: Delivery, secrets: readonly AccountSecret[], context: VerifyContext): DeliveryVerdict;
  /** The same for every repetition of the delivery, and made only from signed content. */
  keyOf(delivery: Delivery): string;
  /** What a verified delivery says. Never throws: what it doesn't understand is kept as is. */
  factsOf(delivery: Delivery, receivedAt: number): DeliveryFacts;
  /** What the delivery asks for. */
  occasionOf(delivery: Delivery): Occasion;
  /** The called number, which determines the answer. */
  calledParty(delivery: Delivery): Party;
  render(plan: Plan, context: ReplyContext): ReplyDocument;
  /** For a delivery that asks for nothing. */
  acknowledge(): ReplyDocument;
  advise(addresses: { voice: string; recording: string }): SetupAdvice;
  /** Where to fetch a recording: a URL made of ids, if the provider has one. */
  mediaOf(recording: RecordingLocator, account: ProviderAccount): MediaLookup | Promise<MediaLookup>;
  /** The DELETE for a recording at the provider; null if there is none. */
  removalOf(recording: RecordingLocator, account: ProviderAccount): MediaLookup | Promise<MediaLookup> | null;
  /** A notice of a made-up call, signed as the provider would; null if only the provider can sign. */
  sampleNotice(context: SampleContext): SampleNotice | null;
  /** How to simulate its webhooks, if supported. */
  simulator?: Simulator;
};

/** What an admin is shown of a provider. */
export type ProviderInfo = Pick<TelephonyProvider, 'id' | 'name' | 'rules' | 'languages'>;
