import type { Party } from './party.ts';

/** Why a leg ended, in words that fit every provider. */
export type EndReason = 'completed' | 'no_answer' | 'busy' | 'rejected' | 'canceled' | 'failed' | 'unknown';

export type FactKind =
  | 'initiated'
  | 'ringing'
  /** The call's own leg was answered. On an inbound call that's the provider itself, not a person. */
  | 'answered'
  /** A dialed party picked up, which may be a carrier's voicemail. */
  | 'forwarded'
  /**
   * A dialed person is talking with the caller. Reported only if that's certain: with screening, after the key press.
   */
  | 'bridged'
  | 'forward_ended'
  | 'voicemail'
  | 'ended'
  | 'other';

/**
 * Something that happened to a call, independent of the provider. Facts may come in any order; `call.ts` decides what
 * they add up to.
 */
export type CallFact = {
  /** The same for every repetition of a fact, and made only from signed content. */
  key: string;
  kind: FactKind;
  occurredAt: number;
  /** `received`: the provider didn't say when, so this is the time of receipt. */
  timeFrom: 'provider' | 'received';
  /** The dialed leg, or null for the call's own leg. */
  legId: string | null;
  /** Only for `ended` and `forward_ended`. */
  reason?: EndReason;
  talkSeconds?: number;
  /** Only for `forward_ended`: a person answered, not a carrier's voicemail. */
  reachedHuman?: boolean;
  /** The provider's own word for an event that we don't know. */
  raw?: string;
};

export type Direction = 'inbound' | 'outbound';

/**
 * What a delivery says about the call itself. All fields but the key are null if the delivery is about a dialed leg.
 */
export type CallEnds = {
  /** The same for all legs of a call. */
  callKey: string;
  direction: Direction | null;
  from: Party | null;
  to: Party | null;
  /** Whether the delivery has a field for the caller's name, even if it's empty. */
  saysName?: boolean;
};

export type RecordingFact = {
  recordingId: string;
  status: 'in_progress' | 'available' | 'absent' | 'failed';
  callKey: string | null;
  startedAt: number | null;
  durationMs: number | null;
  channels: 1 | 2 | null;
  /** The provider's own name for what made the recording. */
  source: string | null;
  errorCode: string | null;
  /** The URL in the payload. It may be a secret in itself, and may point anywhere: see the provider's `mediaOf`. */
  mediaUrl: string | null;
  /** When `mediaUrl` stops working. */
  mediaExpiresAt: number | null;
};

/** What a provider says about the text of a recording. */
export type TranscriptFact = {
  recordingId: string;
  callKey: string | null;
  /** `available`: the provider has the text, and it has to be fetched. */
  status: 'ready' | 'available' | 'failed';
  /** Only if it's ready. */
  text: string | null;
  language: string | null;
  /** The URL in the payload, only if the text has to be fetched. It may point anywhere: see the provider's `transcripts`. */
  url: string | null;
};

/** What a verified delivery says. */
export type DeliveryFacts = {
  call: CallEnds | null;
  /** `events` holds the facts. The name can't change, because some deliveries are stored as JSON of this type. */
  events: readonly CallFact[];
  recordings: readonly RecordingFact[];
  /** Left out if there are none, as in deliveries that older versions stored. */
  transcripts?: readonly TranscriptFact[];
};
