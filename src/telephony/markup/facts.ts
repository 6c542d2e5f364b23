import { hash } from 'node:crypto';
import type { CallEnds, CallFact, DeliveryFacts, RecordingFact, TranscriptFact } from '../contract/call-fact.ts';
import { type Delivery, stepOf } from '../contract/delivery.ts';
import { nameParty, toParty } from '../contract/party.ts';
import { announcedBy, happened, partOfCall, talked, toRecording, toTranscript } from '../provider-parts/facts.ts';
import { toChannels, toInstant, toSeconds, wordsFor } from '../provider-parts/values.ts';
import { type MarkupParams, paramsOf } from './params.ts';
import { hasPickedUp } from './reply.ts';

const END_REASONS = wordsFor({
  completed: 'completed',
  no_answer: 'no-answer',
  busy: 'busy',
  canceled: 'canceled',
  failed: 'failed',
});

const KINDS = wordsFor({
  initiated: 'queued initiated',
  ringing: 'ringing',
  answered: 'in-progress answered',
});

const secondsOf = (params: MarkupParams, name: string): number | null => toSeconds(params.get(name) ?? null);
const instantOf = (params: MarkupParams, name: string): number | null => toInstant(params.get(name) ?? null);

const callOf = (params: MarkupParams): CallEnds | null => {
  const parent = params.get('ParentCallSid');
  if (parent) return partOfCall(parent);
  const callKey = params.get('CallSid');
  if (!callKey) return null;
  const direction = params.get('Direction');
  return {
    callKey,
    direction: direction === undefined ? null : direction.startsWith('outbound') ? 'outbound' : 'inbound',
    // The name is sent only if lookups are turned on for the number.
    from: params.has('From') ? nameParty(toParty(params.get('From')), params.get('CallerName')) : null,
    to: params.has('To') ? toParty(params.get('To')) : null,
    ...(params.has('CallerName') && { saysName: true }),
  };
};

/**
 * Parameters that tell apart deliveries with the same status. Without them in the key, only the first would be kept.
 */
const TOLD = ['SequenceNumber', 'Timestamp', 'CallDuration'];

/** Reads the status of a leg. A call's own status is `completed` whether or not a person answered. */
const statusEvent = (params: MarkupParams, receivedAt: number): CallFact[] => {
  const status = params.get('CallStatus');
  const leg = params.get('CallSid');
  if (!status || !leg) return [];
  const child = params.get('ParentCallSid') ? leg : null;
  const reason = END_REASONS.get(status);
  const kind = reason ? (child ? 'forward_ended' : 'ended') : (KINDS.get(status) ?? 'other');
  return [
    {
      key: [leg, status, ...TOLD.map((name) => params.get(name) ?? '')].join(' '),
      kind: kind === 'answered' && child ? 'forwarded' : kind,
      ...happened(instantOf(params, 'Timestamp'), receivedAt),
      legId: child,
      ...(reason ? { reason } : {}),
      ...talked(secondsOf(params, 'CallDuration')),
      ...(kind === 'other' ? { raw: status } : {}),
    },
  ];
};

type FactContext = { step: string | null; receivedAt: number; reached: boolean };

/** Reads how forwarding ended. Only this says whether someone answered. */
const dialEvent = (params: MarkupParams, { step, receivedAt, reached }: FactContext): CallFact[] => {
  const status = params.get('DialCallStatus');
  if (!status) return [];
  const reason = status === 'answered' ? 'completed' : END_REASONS.get(status);
  return [
    {
      key: `${params.get('CallSid')} dial ${params.get('DialCallSid') ?? step ?? ''} ${status}`,
      kind: 'forward_ended',
      ...happened(null, receivedAt),
      legId: params.get('DialCallSid') ?? null,
      reason: reason ?? 'unknown',
      reachedHuman: reached,
      ...talked(secondsOf(params, 'DialCallDuration')),
      ...(reason ? {} : { raw: status }),
    },
  ];
};

export const voicemailEvent = (params: MarkupParams, receivedAt: number): CallFact => ({
  key: `${params.get('CallSid')} voicemail`,
  kind: 'voicemail',
  ...happened(null, receivedAt),
  legId: null,
});

const RECORDING = wordsFor({
  in_progress: 'in-progress',
  available: 'completed',
  absent: 'absent',
  failed: 'failed',
});

const recordingOf = (params: MarkupParams): RecordingFact[] => {
  const recordingId = params.get('RecordingSid');
  const status = RECORDING.get(params.get('RecordingStatus') ?? '');
  if (!recordingId || !status) return [];
  const seconds = secondsOf(params, 'RecordingDuration');
  return [
    toRecording({
      recordingId,
      status,
      callKey: params.get('CallSid') ?? null,
      startedAt: instantOf(params, 'RecordingStartTime'),
      durationMs: seconds === null ? null : seconds * 1_000,
      channels: toChannels(params.get('RecordingChannels')),
      source: params.get('RecordingSource') ?? null,
      errorCode: params.get('ErrorCode') ?? null,
      mediaUrl: params.get('RecordingUrl') ?? null,
    }),
  ];
};

const TRANSCRIPTS = wordsFor({ ready: 'completed', failed: 'failed absent' });

/** Whether a delivery is about the text of a recording. Its status of the call is what it happens to be by then. */
const isTranscript = (params: MarkupParams): boolean => params.has('TranscriptionStatus');

const transcriptsOf = (params: MarkupParams): TranscriptFact[] => {
  const recordingId = params.get('RecordingSid');
  const status = TRANSCRIPTS.get(params.get('TranscriptionStatus') ?? '');
  if (!recordingId || !status) return [];
  return [
    toTranscript({
      recordingId,
      status,
      callKey: params.get('CallSid') ?? null,
      text: params.get('TranscriptionText') ?? null,
    }),
  ];
};

/** Reads a delivery about a transcript. Also announces the recording, because the transcript may come first. */
const factsOfTranscript = (params: MarkupParams): DeliveryFacts => {
  const transcripts = transcriptsOf(params);
  return { call: callOf(params), events: [], recordings: transcripts.map(announcedBy), transcripts };
};

/**
 * Makes the key only from signed content. With an unsigned header in the key, someone could change the header, and the
 * same delivery would be stored twice.
 */
export const keyOfMarkup = (delivery: Delivery): string => {
  let text = `${delivery.route} ${stepOf(delivery) ?? ''}`;
  for (const [name, value] of paramsOf(delivery)) text += `\u0000${name}\u0000${value}`;
  return hash('sha256', text, 'hex');
};

export const factsOfParams = (params: MarkupParams, context: FactContext): DeliveryFacts => {
  if (isTranscript(params)) return factsOfTranscript(params);
  const isMessage = context.step === 'voicemail' && (secondsOf(params, 'RecordingDuration') ?? 0) > 0;
  return {
    call: callOf(params),
    events: [
      ...statusEvent(params, context.receivedAt),
      ...dialEvent(params, context),
      ...(isMessage ? [voicemailEvent(params, context.receivedAt)] : []),
    ],
    recordings: recordingOf(params),
  };
};

export const factsOfMarkup = (delivery: Delivery, receivedAt: number): DeliveryFacts => {
  const params = paramsOf(delivery);
  return factsOfParams(params, { step: stepOf(delivery), receivedAt, reached: hasPickedUp(params) });
};
