import { hash } from 'node:crypto';
import type { CallEnds, CallFact, DeliveryFacts, RecordingFact } from '../../contract/call-fact.ts';
import { type Delivery, stepOf } from '../../contract/delivery.ts';
import { toParty } from '../../contract/party.ts';
import { announcedBy, happened, partOfCall, talked } from '../../provider-parts/facts.ts';
import { type Fields, toSeconds, wordsFor } from '../../provider-parts/values.ts';
import {
  asksForReply,
  callKeyOf,
  digitsOf,
  fieldsOf,
  instantOf,
  isDialedLeg,
  legOf,
  textOrNumberOf,
} from './fields.ts';
import { recordingOf, transcriptOf } from './recording.ts';
import { readToken } from './token.ts';

/**
 * Statuses of a failed leg. `completed` follows each of them except `rejected`, and adds nothing
 * (nexmo-developer#1653).
 */
export const FAILURES = wordsFor({
  no_answer: 'timeout unanswered',
  busy: 'busy',
  rejected: 'rejected',
  failed: 'failed',
});

const ENDS = new Map([...FAILURES, ...wordsFor({ canceled: 'cancelled', completed: 'completed' })]);

const KINDS = wordsFor({ initiated: 'started', ringing: 'ringing', answered: 'answered' });

const MOST_RAW = 120;

type ParsedDelivery = { fields: Fields; step: string | null; receivedAt: number };
type Meaning = Pick<CallFact, 'kind' | 'legId'> & Partial<CallFact>;

const secondsOf = (fields: Fields): number | null => toSeconds(textOrNumberOf(fields, 'duration'));

/** `what` and the vendor's own time distinguish the facts of a leg. */
const eventOf = ({ fields, receivedAt }: ParsedDelivery, what: string, meaning: Meaning): CallFact => ({
  key: [legOf(fields) ?? callKeyOf(fields) ?? '', what, textOrNumberOf(fields, 'timestamp') ?? ''].join(' '),
  ...happened(instantOf(fields, 'timestamp'), receivedAt),
  ...meaning,
});

/** Reads a status of the call's own leg, which for an inbound call is the caller's. */
const ownMeaning = (fields: Fields, status: string): Meaning => {
  const reason = ENDS.get(status);
  if (!reason) return { kind: KINDS.get(status) ?? 'other', legId: null };
  return { kind: 'ended', legId: null, reason, ...talked(secondsOf(fields)) };
};

/**
 * Reads a status of a leg that we dialed. Caller and callee are connected as soon as the leg is answered, unless we
 * screen. Then only the key press shows that a person answered (see `eventsOf`), because even a long leg may have been
 * voicemail.
 */
const dialedMeaning = (fields: Fields, status: string, isScreened: boolean): Meaning => {
  const legId = legOf(fields);
  if (status === 'answered') return { kind: isScreened ? 'forwarded' : 'bridged', legId };
  const reason = ENDS.get(status);
  if (!reason) return { kind: KINDS.get(status) ?? 'other', legId };
  if (reason !== 'completed') return { kind: 'forward_ended', legId, reason, reachedHuman: false };
  const talkSeconds = secondsOf(fields) ?? 0;
  // The leg `completed` without being answered, and an earlier status already said why.
  if (talkSeconds === 0 || instantOf(fields, 'start_time') === null) return { kind: 'other', legId };
  return { kind: 'forward_ended', legId, reason, talkSeconds, ...(isScreened ? {} : { reachedHuman: true }) };
};

const voicemailOf = (parsed: ParsedDelivery, { status, durationMs, recordingId }: RecordingFact): CallFact[] =>
  parsed.step === 'voicemail' && status === 'available' && (durationMs ?? 1_000) >= 1_000
    ? [{ ...eventOf(parsed, 'voicemail', { kind: 'voicemail', legId: null }), key: `${recordingId} voicemail` }]
    : [];

const eventsOf = (delivery: Delivery, parsed: ParsedDelivery, recording: RecordingFact | null): CallFact[] => {
  const { fields, step } = parsed;
  if (recording) return voicemailOf(parsed, recording);
  if (asksForReply(fields)) return step === null ? [eventOf(parsed, 'answer', { kind: 'initiated', legId: null })] : [];
  if (step === 'screened' && 'dtmf' in fields)
    return digitsOf(fields) === '' ? [] : [eventOf(parsed, 'pressed', { kind: 'bridged', legId: legOf(fields) })];
  const status = textOrNumberOf(fields, 'status');
  if (status === null) {
    const raw = textOrNumberOf(fields, 'type') ?? textOrNumberOf(fields, 'reason');
    return raw === null ? [] : [eventOf(parsed, raw, { kind: 'other', legId: null, raw: raw.slice(0, MOST_RAW) })];
  }
  const meaning = isDialedLeg(delivery, fields)
    ? dialedMeaning(fields, status, step !== 'dialed')
    : ownMeaning(fields, status);
  return [
    eventOf(parsed, status, { ...meaning, ...(meaning.kind === 'other' ? { raw: status.slice(0, MOST_RAW) } : {}) }),
  ];
};

/** Returns the direction. An answer request doesn't name it, but is always for an inbound call. */
const directionOf = (fields: Fields): CallEnds['direction'] => {
  const told = fields['direction'];
  if (told === 'inbound' || told === 'outbound') return told;
  return asksForReply(fields) ? 'inbound' : null;
};

/** Returns the call. A delivery about a dialed leg names the caller and callee of that leg, not those of the call. */
const callOf = (delivery: Delivery, fields: Fields): CallEnds | null => {
  const callKey = callKeyOf(fields);
  if (callKey === null) return null;
  const direction = isDialedLeg(delivery, fields) ? null : directionOf(fields);
  if (direction === null) return partOfCall(callKey);
  const app = textOrNumberOf(fields, 'from_user');
  const from = toParty(app ? `client:${app}` : textOrNumberOf(fields, 'from'));
  return { callKey, direction, from, to: toParty(textOrNumberOf(fields, 'to')) };
};

/**
 * Makes the key from the token's own id alone. Neither the URL nor the query of a GET is signed, so the same token with
 * another URL must not become a second delivery.
 */
export const keyOf = (delivery: Delivery): string => {
  const jti = readToken(delivery)?.claims['jti'];
  const source =
    typeof jti === 'string' ? ['jti', jti] : [delivery.method, delivery.target, delivery.body.toString('hex')];
  return hash('sha256', source.join('\u0000'), 'hex');
};

export const factsOf = (delivery: Delivery, receivedAt: number): DeliveryFacts => {
  const fields = fieldsOf(delivery);
  const transcript = transcriptOf(fields);
  if (transcript)
    return {
      call: callOf(delivery, fields),
      events: [],
      recordings: [announcedBy(transcript)],
      transcripts: [transcript],
    };
  const recording = recordingOf(fields);
  return {
    call: callOf(delivery, fields),
    events: eventsOf(delivery, { fields, step: stepOf(delivery), receivedAt }, recording),
    recordings: recording ? [recording] : [],
  };
};
