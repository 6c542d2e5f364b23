import { hash } from 'node:crypto';
import type { CallEnds, CallFact, DeliveryFacts, RecordingFact, TranscriptFact } from '../../contract/call-fact.ts';
import { nameParty, toParty } from '../../contract/party.ts';
import { announcedBy, happened, partOfCall, toRecording, toTranscript } from '../../provider-parts/facts.ts';
import { msBetween, textOf, toInstant, wordsFor } from '../../provider-parts/values.ts';
import { expiryOf } from './media.ts';
import { type ControlEvent, fieldsOf } from './payload.ts';

const KINDS = wordsFor({
  initiated: 'call.initiated',
  answered: 'call.answered',
  bridged: 'call.bridged',
  ended: 'call.hangup',
});

const END_REASONS = wordsFor({
  completed: 'normal_clearing time_limit',
  canceled: 'originator_cancel',
  no_answer: 'timeout no_answer',
  busy: 'user_busy',
  rejected: 'call_rejected',
  failed: 'not_found',
  unknown: 'unspecified',
});

const MOST_ID_CHARACTERS = 100;

/** Makes the key of an event. Without an id, it's made from the leg, the content, and the time. */
export const keyOfEvent = ({ id, type, occurredAt, payload }: ControlEvent): string => {
  if (id !== null && id.length <= MOST_ID_CHARACTERS) return id;
  const said = ['call_session_id', 'call_leg_id', 'recording_id'].map((name) => textOf(payload, name));
  return hash('sha256', JSON.stringify([id, type, occurredAt, ...said]), 'hex');
};

const DIRECTIONS = wordsFor({ inbound: 'incoming', outbound: 'outgoing' });

/**
 * Returns the call. According to the library's types, only `call.initiated` has a direction. An event without one may
 * be about any leg, so it doesn't show who called whom.
 */
const callOf = ({ payload }: ControlEvent): CallEnds | null => {
  const callKey = textOf(payload, 'call_session_id');
  if (!callKey) return null;
  const direction = DIRECTIONS.get(textOf(payload, 'direction') ?? '');
  if (!direction) return partOfCall(callKey);
  const from = nameParty(toParty(textOf(payload, 'from')), textOf(payload, 'caller_id_name'));
  return { callKey, direction, from, to: toParty(textOf(payload, 'to')) };
};

/**
 * Returns the dialed leg that an event is about, or null. Also null for `call.answered`: it comes for every leg, so it
 * doesn't show that a person answered. `call.bridged` does mean that two legs are talking.
 */
const legOf = ({ type, payload }: ControlEvent): string | null =>
  type === 'call.answered' || payload['direction'] === 'incoming' ? null : textOf(payload, 'call_leg_id');

const callEvent = (event: ControlEvent, receivedAt: number): CallFact => {
  const kind = KINDS.get(event.type) ?? 'other';
  const cause = textOf(event.payload, 'hangup_cause') ?? 'unspecified';
  const reason = END_REASONS.get(cause);
  const raw = kind === 'other' ? event.type : kind === 'ended' && !reason ? cause : null;
  return {
    key: keyOfEvent(event),
    kind,
    ...happened(event.occurredAt, receivedAt),
    legId: legOf(event),
    ...(kind === 'ended' ? { reason: reason ?? 'unknown' } : {}),
    ...(raw === null ? {} : { raw }),
  };
};

const RECORDINGS = wordsFor({
  available: 'call.recording.saved',
  failed: 'call.recording.error',
});

const recordingEvent = (event: ControlEvent, receivedAt: number): RecordingFact[] => {
  const status = RECORDINGS.get(event.type);
  if (!status) return [];
  const { payload } = event;
  const urls = fieldsOf(payload['recording_urls']) ?? {};
  const mediaUrl = textOf(urls, 'mp3') ?? textOf(urls, 'wav');
  const startedAt = toInstant(textOf(payload, 'recording_started_at'));
  const channels = payload['channels'];
  return [
    toRecording({
      // `recording_id` is in the examples but not in the types. A recording without it can be fetched but not deleted.
      recordingId: textOf(payload, 'recording_id') ?? `event ${keyOfEvent(event)}`,
      status,
      callKey: textOf(payload, 'call_session_id'),
      startedAt,
      durationMs: msBetween(startedAt, toInstant(textOf(payload, 'recording_ended_at'))),
      channels: channels === 'single' ? 1 : channels === 'dual' ? 2 : null,
      errorCode: textOf(payload, 'reason'),
      mediaUrl,
      mediaExpiresAt: expiryOf(mediaUrl, Math.min(event.occurredAt ?? receivedAt, receivedAt)),
    }),
  ];
};

/** Reads the text of a recording (docs, "Call Recording Transcription Saved"; seen November 2026). */
const transcriptEvent = ({ type, payload }: ControlEvent): TranscriptFact[] => {
  const recordingId = textOf(payload, 'recording_id');
  if (type !== 'call.recording.transcription.saved' || !recordingId) return [];
  return [
    toTranscript({
      recordingId,
      status: textOf(payload, 'status') === 'completed' ? 'ready' : 'failed',
      callKey: textOf(payload, 'call_session_id'),
      text: textOf(payload, 'transcription_text'),
    }),
  ];
};

/** Reads what a Call Control event says. */
export const factsOfEvent = (event: ControlEvent, receivedAt: number): DeliveryFacts => {
  const call = callOf(event);
  const transcripts = transcriptEvent(event);
  if (transcripts.length > 0) return { call, events: [], recordings: transcripts.map(announcedBy), transcripts };
  return {
    call,
    events: call ? [callEvent(event, receivedAt)] : [],
    recordings: recordingEvent(event, receivedAt),
  };
};
