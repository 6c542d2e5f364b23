import type { Party } from './party.ts';

/** Why a leg ended, in words that fit every provider. */
export type EndReason = 'completed' | 'no_answer' | 'busy' | 'rejected' | 'canceled' | 'failed' | 'unknown';

export type EventKind =
  | 'initiated'
  | 'ringing'
  /** The call's own leg was answered. On an inbound call that's the provider itself, not a person. */
  | 'answered'
  /** A dialed party picked up, maybe a carrier's voicemail. */
  | 'forwarded'
  /** A dialed person is talking with the caller. Only if certain: with screening, after the key press. */
  | 'bridged'
  | 'forward_ended'
  | 'voicemail'
  | 'ended'
  | 'other';

/**
 * Something that happened to a call, in neutral words. Facts only: `call.ts` decides what they add up to, in no
 * particular order.
 */
export type CallEvent = {
  /** The same for every repetition of a fact, and made only from signed content. */
  key: string;
  kind: EventKind;
  occurredAt: number;
  /** `received`: the provider didn't say when. */
  timeFrom: 'provider' | 'received';
  /** The dialed leg; null for the call's own. */
  legId: string | null;
  /** Of `ended` and `forward_ended`. */
  reason?: EndReason;
  talkSeconds?: number;
  /** For `forward_ended`: a person answered, not a carrier's voicemail. */
  reachedHuman?: boolean;
  /** The provider's own word, kept if we don't know it. */
  raw?: string;
};

export type Direction = 'inbound' | 'outbound';

/** What a delivery says about the call itself. Null if it's about a dialed leg. */
export type CallFacts = {
  /** One for all legs. */
  callKey: string;
  direction: Direction | null;
  from: Party | null;
  to: Party | null;
  /** It has a field for the caller's name, whether or not there is one in it. */
  saysName?: boolean;
};

export type RecordingEvent = {
  recordingId: string;
  status: 'in_progress' | 'available' | 'absent' | 'failed';
  callKey: string | null;
  startedAt: number | null;
  durationMs: number | null;
  channels: 1 | 2 | null;
  /** The provider's own name for what made it. */
  source: string | null;
  errorCode: string | null;
  /** As in the payload. It may be a secret in itself, and may point anywhere: see the provider's `mediaOf`. */
  mediaUrl: string | null;
  /** When that URL stops working. */
  mediaExpiresAt: number | null;
};

/** What a verified delivery says. */
export type DeliveryFacts = {
  call: CallFacts | null;
  events: readonly CallEvent[];
  recordings: readonly RecordingEvent[];
};
