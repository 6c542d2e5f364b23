import type fc from 'fast-check';
import { type Occasion, planReply } from '../../../src/telephony/contract/answer-plan.ts';
import { settingsWhen } from '../../../src/telephony/contract/answer-settings.ts';
import type { CallEnds, CallFact, RecordingFact, TranscriptFact } from '../../../src/telephony/contract/call-fact.ts';
import type { Delivery } from '../../../src/telephony/contract/delivery.ts';
import type {
  MediaRequest,
  ProviderAccount,
  RecordingLocator,
  ReplyContext,
  TelephonyProvider,
} from '../../../src/telephony/contract/provider.ts';
import { PUBLIC_URL } from '../vendors/deliver.ts';

type Rows<Row extends readonly unknown[]> = readonly (readonly [what: string, ...row: Row])[];
type Asked = Exclude<Occasion, { kind: 'nothing' }>;

/** A signature that the vendor, a standard, or its own library has made. */
type Published = {
  name: string;
  delivery: Delivery;
  secret: string;
  publicUrl?: string;
  now?: number;
  verdict?: string;
  /** What it doesn't fit. */
  bent: readonly Delivery[];
};

/** What a provider's tests hand in: how it signs, what it sends, and what that means. */
export type ProviderContract = {
  /** When everything is sent. */
  now: number;
  /** When it comes in; the same if left out. */
  receivedAt?: number;
  secret: string;
  otherSecret: string;
  sign(delivery: Delivery, secret?: string): Delivery;
  /** Asks the vendor's own library. */
  isAcceptedByVendor?(signed: Delivery): boolean | Promise<boolean>;
  /** The headers without which nothing is verified. */
  proofs: readonly string[];
  covers: { address: boolean; content: boolean };
  /** The vendor's own payloads, unsigned, each saying something else. */
  deliveries: Readonly<Record<string, Delivery>>;
  /** A delivery with arbitrary text in it. */
  withText(text: string): Delivery;
  /** More possible bodies, with deeper nesting. */
  bodies?: fc.Arbitrary<string>;
  published: readonly Published[];
  /** Unusual, but accepted if signed. */
  accepted: Rows<[Delivery]>;
  /** Refused, although it is signed correctly. */
  malformed: Rows<[Delivery]>;
  /** This provider's, although it contains little. */
  recognized: Rows<[Delivery]>;
  /** Not this provider's. */
  strangers: Rows<[Delivery]>;
  accounts: Rows<[Delivery, string | null]>;
  called: Rows<[Delivery, string]>;
  calls: Rows<[Delivery, CallEnds | null]>;
  /** Events, except for their key and time. */
  events: Rows<[Delivery, readonly Partial<CallFact>[]]>;
  times: Rows<[Delivery, number, CallFact['timeFrom']]>;
  recordings: Rows<[Delivery, Partial<RecordingFact> | null]>;
  /** What deliveries say about the text of a recording. Empty if the provider makes none. */
  transcripts: Rows<[Delivery, Partial<TranscriptFact> | null]>;
  stories: Rows<[readonly Delivery[], outcome: string, talkSeconds?: number | null]>;
  occasions: Rows<[Delivery, Occasion]>;
  /** A string is the whole document, a pattern matches part of it, and anything else is the parsed JSON. */
  documents: Rows<[answer: object | null, Asked, string | RegExp | object]>;
  contentType: string;
  /** The texts that a document says. */
  spoken(body: string): string[];
  acknowledged: 200 | 204;
  account: ProviderAccount;
  fetched: Rows<[RecordingLocator, Partial<MediaRequest>]>;
  removed: Rows<[RecordingLocator, Partial<MediaRequest> | null]>;
  /** Not fetched, because something is missing. */
  missing: Rows<[RecordingLocator, Partial<ProviderAccount>, missing?: string]>;
  fields: Rows<[pattern: RegExp | undefined, right: readonly string[], wrong: readonly string[]]>;
  /** What asks the provider to try again, at the end of each URL. */
  retry: string;
  /** What the notes must mention. */
  notes: RegExp;
};

export const REPLY_CONTEXT: ReplyContext = {
  stepUrl: (step) => `${PUBLIC_URL}/voice?account=a1&step=${step}`,
  recordingUrl: `${PUBLIC_URL}/recording?account=a1`,
  verifiedWith: null,
};

/** How a reply is rendered, at the start or on another occasion. */
export const replyTo = (
  provider: TelephonyProvider,
  answer: object | null,
  occasion: Asked = { kind: 'answer' },
  more: Partial<ReplyContext> = {},
): string =>
  provider.render(planReply(occasion, answer && settingsWhen(answer, true, provider.languages)), {
    ...REPLY_CONTEXT,
    ...more,
  }).body;

type Judging = { secrets: readonly string[]; now: number; publicUrl?: string };

/** The id of the secret that matches (`s1`, `s2`, …), or why none does. */
export const verdictOf = (
  provider: TelephonyProvider,
  delivery: Delivery,
  { secrets, now, publicUrl = PUBLIC_URL }: Judging,
): string => {
  const known = secrets.map((value, index) => ({ id: `s${index + 1}`, value }));
  const verdict = provider.verify(delivery, known, { publicUrl, now });
  return verdict.ok ? verdict.secretId : verdict.reason;
};

/** The values of a record that are expected. */
export const pickLike = (actual: object | null | undefined, expected: object): object =>
  Object.fromEntries(Object.keys(expected).map((name) => [name, (actual as Record<string, unknown> | null)?.[name]]));
