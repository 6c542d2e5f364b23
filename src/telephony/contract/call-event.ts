import type { Party } from './party.ts';

/** Why a leg ended, in words that every provider's own can be put into. */
export type EndReason = 'completed' | 'no_answer' | 'busy' | 'rejected' | 'canceled' | 'failed' | 'unknown';

export type EventKind =
  | 'initiated'
  | 'ringing'
  /** The call's own leg was taken: of an inbound call by the provider itself, which says nothing of a person. */
  | 'answered'
  /** Somebody who was dialled has picked up: perhaps a carrier's machine. */
  | 'forwarded'
  /** A person who was dialled talks with the caller. Only what says so for certain: where we screen, after the key. */
  | 'bridged'
  | 'forward_ended'
  | 'voicemail'
  | 'ended'
  | 'other';

/**
 * Something that happened to a call, in neutral words. Facts only: what they add up to is decided in `call.ts`, from all of
 * them and in no particular order.
 */
export type CallEvent = {
  /** The same for every repetition of the same fact, and made of signed material alone. */
  key: string;
  kind: EventKind;
  occurredAt: number;
  /** `received`: the provider did not say when. */
  timeFrom: 'provider' | 'received';
  /** The leg that was dialled; null: the call's own. */
  legId: string | null;
  /** Of `ended` and `forward_ended`. */
  reason?: EndReason;
  talkSeconds?: number;
  /** Of `forward_ended`: a person took the call, and not a machine of the carrier's. */
  reachedHuman?: boolean;
  /** The provider's own word, kept where it is not known. */
  raw?: string;
};

export type Direction = 'inbound' | 'outbound';

/** What a delivery tells of the call itself. Null: it tells of a leg that was dialled, and not of the call. */
export type CallFacts = {
  /** One for all legs. */
  callKey: string;
  direction: Direction | null;
  from: Party | null;
  to: Party | null;
};

export type RecordingEvent = {
  recordingId: string;
  status: 'in_progress' | 'available' | 'absent' | 'failed';
  callKey: string | null;
  startedAt: number | null;
  durationMs: number | null;
  channels: 1 | 2 | null;
  /** The provider's own word for what made it. */
  source: string | null;
  errorCode: string | null;
  /** As the payload has it. It may be a secret by itself, and it may be anybody's: see `mediaOf` of the provider. */
  mediaUrl: string | null;
  /** When that address ends to work. */
  mediaExpiresAt: number | null;
};

/** What a delivery says, once it is verified. */
export type Report = {
  call: CallFacts | null;
  events: readonly CallEvent[];
  recordings: readonly RecordingEvent[];
};
