import type { Occasion, Plan, Step } from './answer-plan.ts';
import type { DeliveryFacts, RecordingFact } from './call-fact.ts';
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
   * verified, because then anyone may have sent the request.
   */
  verifiedWith: string | null;
};

/** What an admin has to do at the provider. */
type SetupAdvice = { voiceUrl: string; statusUrl: string; recordingUrl: string; notes: readonly string[] };

/** A field that an admin fills in: the provider's name for it, its format, and where the provider shows it. */
export type FieldRule = {
  label: string;
  pattern: RegExp;
  hint: string;
  /** How the field is entered. Hidden if left out. */
  input?: 'text' | 'lines';
};

/** The fields of this provider's accounts. */
type AccountRules = {
  /** Null if deliveries don't name an account. */
  accountId: FieldRule | null;
  /** `isPublic`: the secret is a public key. Anyone may have it, so having it doesn't prove who owns an account. */
  secret: FieldRule & { isPublic?: true };
  /** Credentials for recordings, by name. Empty if the secret is enough, or no credentials are needed. */
  api: Readonly<Record<string, FieldRule>>;
  /** What the `api` credentials are needed for, as a sentence. */
  apiUse?: string;
};

/** An account with its secrets opened. It exists only in memory. */
export type ProviderAccount = {
  accountId: string | null;
  secrets: readonly AccountSecret[];
  api: Readonly<Record<string, string>>;
};

export type RecordingLocator = Pick<RecordingFact, 'recordingId' | 'mediaUrl'>;

/**
 * A request for a recording. Headers, which may contain credentials, go only to the first host, not to redirects. Hosts
 * are full names; a name that starts with a dot stands for all its subdomains.
 */
export type MediaRequest = {
  url: string;
  headers: Readonly<Record<string, string>>;
  hosts: readonly string[];
  redirectHosts: readonly string[];
  /** Where to get a bearer token for this request. These headers and this body go only there. */
  token?: { url: string; headers: Readonly<Record<string, string>>; body: string; hosts: readonly string[] };
};

/** A request for a recording. `missing`: what an admin must add before it can be made. */
export type MediaLookup = MediaRequest | { missing: string };

/** How the text of a recording is fetched from a provider whose deliveries only say that there is one. */
export type TranscriptLookup = {
  /** Makes the request. The URL comes from the payload, so it's checked and rebuilt. */
  lookup(
    transcript: { recordingId: string; url: string | null },
    account: ProviderAccount,
  ): MediaLookup | Promise<MediaLookup>;
  /** Reads the response, which may be anything. Null if it isn't a transcript. */
  read(response: unknown): string | null;
};

type SampleContext = {
  /** The URL that the sample is sent to and signed for. */
  address: string;
  accountId: string | null;
  secret: string;
  now: number;
};

/** A sample POST: its headers, including the signature, and its body. */
export type SampleNotice = { headers: Readonly<Record<string, string>>; body: string };

/** A telephony provider. Only the code in its folder knows its parameters, signatures, and reply format. */
export type TelephonyProvider = {
  id: string;
  name: string;
  rules: AccountRules;
  /** The languages and voices that the provider has, with the provider's own names for them. */
  languages: readonly SpokenLanguage[];
  /** `WWW-Authenticate` header of the 401 that asks this provider for its credentials. Null if a refusal is a 403. */
  challenge: string | null;
  /** Whether the provider can turn voicemails into text, and sends the text. */
  transcribes: boolean;
  /** Recognizes the provider's deliveries by their parameters and headers. `Authorization` alone isn't enough. */
  recognizes(delivery: Delivery): boolean;
  /** Returns the account ID in the payload. It isn't verified yet. */
  accountIdOf(delivery: Delivery): string | null;
  verify(delivery: Delivery, secrets: readonly AccountSecret[], context: VerifyContext): DeliveryVerdict;
  /** Makes the key of a delivery: equal for every repetition, and made only from signed content. */
  keyOf(delivery: Delivery): string;
  /** Reads what a verified delivery says. Never throws: an unknown value is kept as it is. */
  factsOf(delivery: Delivery, receivedAt: number): DeliveryFacts;
  /** Returns what the delivery asks for. */
  occasionOf(delivery: Delivery): Occasion;
  /** Returns the called number, which determines the answer. */
  calledParty(delivery: Delivery): Party;
  render(plan: Plan, context: ReplyContext): ReplyDocument;
  /** Makes the reply to a delivery that asks for nothing. */
  acknowledge(): ReplyDocument;
  advise(addresses: { voice: string; recording: string }): SetupAdvice;
  /**
   * Makes the request for a recording. Its URL is built from ids if the provider allows that, and otherwise comes from
   * the payload.
   */
  mediaOf(recording: RecordingLocator, account: ProviderAccount): MediaLookup | Promise<MediaLookup>;
  /** Makes the DELETE request for a recording. Returns null if the provider can't delete recordings on request. */
  removalOf(recording: RecordingLocator, account: ProviderAccount): MediaLookup | Promise<MediaLookup> | null;
  /** How to fetch the text of a recording. Left out if the provider sends the text itself, or makes none. */
  transcripts?: TranscriptLookup;
  /** Makes a notice of a made-up call, signed as the provider would. Returns null if only the provider can sign. */
  sampleNotice(context: SampleContext): SampleNotice | null;
  /** How to simulate the provider's webhooks, if supported. */
  simulator?: Simulator;
};

/** A delivery, and the provider that recognizes it. */
export type Recognized = { provider: TelephonyProvider; delivery: Delivery };

/** What an admin is shown of a provider. */
export type ProviderInfo = Pick<TelephonyProvider, 'id' | 'name' | 'rules' | 'languages' | 'transcribes'>;
