import { hash } from 'node:crypto';
import type { CallEvent, CallFacts, DeliveryFacts, EndReason, RecordingEvent } from '../contract/call-event.ts';
import { type Delivery, stepOf } from '../contract/delivery.ts';
import { toParty } from '../contract/party.ts';
import { type Params, paramsOf } from './params.ts';

const END_REASONS: ReadonlyMap<string, EndReason> = new Map(
  Object.entries({
    completed: 'completed',
    'no-answer': 'no_answer',
    busy: 'busy',
    canceled: 'canceled',
    failed: 'failed',
  } as const),
);

const KINDS: ReadonlyMap<string, CallEvent['kind']> = new Map(
  Object.entries({
    queued: 'initiated',
    initiated: 'initiated',
    ringing: 'ringing',
    'in-progress': 'answered',
    answered: 'answered',
  } as const),
);

const MOST_SECONDS = 7 * 24 * 3_600;

/** Absurd durations are dropped. */
const secondsOf = (text: string | undefined): number | undefined => {
  const seconds = Number(text);
  return text && Number.isInteger(seconds) && seconds >= 0 && seconds <= MOST_SECONDS ? seconds : undefined;
};

const ZONE = /(?:Z|GMT|UTC|[+-]\d\d:?\d\d)$/i;

/** A time without a zone is UTC. */
const parseTime = (text = ''): number => Date.parse(ZONE.test(text) ? text : `${text}Z`);

const timeOf = (params: Params, receivedAt: number): Pick<CallEvent, 'occurredAt' | 'timeFrom'> => {
  const told = parseTime(params.get('Timestamp'));
  return Number.isNaN(told)
    ? { occurredAt: receivedAt, timeFrom: 'received' }
    : { occurredAt: told, timeFrom: 'provider' };
};

const callOf = (params: Params): CallFacts | null => {
  const parent = params.get('ParentCallSid');
  if (parent) return { callKey: parent, direction: null, from: null, to: null };
  const callKey = params.get('CallSid');
  if (!callKey) return null;
  const direction = params.get('Direction');
  return {
    callKey,
    direction: direction === undefined ? null : direction.startsWith('outbound') ? 'outbound' : 'inbound',
    from: params.has('From') ? toParty(params.get('From')) : null,
    to: params.has('To') ? toParty(params.get('To')) : null,
  };
};

/** Two deliveries with the same status that differ in these are two facts; otherwise the first would win. */
const TOLD = ['SequenceNumber', 'Timestamp', 'CallDuration'];

/** A leg's own state. The status of the call itself never says that a person answered: it is `completed` either way. */
const statusEvent = (params: Params, receivedAt: number): CallEvent[] => {
  const status = params.get('CallStatus');
  const leg = params.get('CallSid');
  if (!status || !leg) return [];
  const child = params.get('ParentCallSid') ? leg : null;
  const reason = END_REASONS.get(status);
  const talkSeconds = secondsOf(params.get('CallDuration'));
  const kind = reason ? (child ? 'forward_ended' : 'ended') : (KINDS.get(status) ?? 'other');
  return [
    {
      key: [leg, status, ...TOLD.map((name) => params.get(name) ?? '')].join(' '),
      kind: kind === 'answered' && child ? 'forwarded' : kind,
      ...timeOf(params, receivedAt),
      legId: child,
      ...(reason ? { reason } : {}),
      ...(talkSeconds === undefined ? {} : { talkSeconds }),
      ...(kind === 'other' ? { raw: status } : {}),
    },
  ];
};

/** How forwarding ended: the only place that says whether someone answered. */
const dialEvent = (params: Params, step: string | null, receivedAt: number): CallEvent[] => {
  const status = params.get('DialCallStatus');
  if (!status) return [];
  const reached = (status === 'completed' || status === 'answered') && params.get('DialBridged') !== 'false';
  const talkSeconds = secondsOf(params.get('DialCallDuration'));
  return [
    {
      key: `${params.get('CallSid')} dial ${params.get('DialCallSid') ?? step ?? ''} ${status}`,
      kind: 'forward_ended',
      occurredAt: receivedAt,
      timeFrom: 'received',
      legId: params.get('DialCallSid') ?? null,
      reason: END_REASONS.get(status) ?? (status === 'answered' ? 'completed' : 'unknown'),
      reachedHuman: reached,
      ...(talkSeconds === undefined ? {} : { talkSeconds }),
      ...(END_REASONS.get(status) || status === 'answered' ? {} : { raw: status }),
    },
  ];
};

const voicemailEvent = (params: Params, step: string | null, receivedAt: number): CallEvent[] =>
  step === 'voicemail' && (secondsOf(params.get('RecordingDuration')) ?? 0) > 0
    ? [
        {
          key: `${params.get('CallSid')} voicemail`,
          kind: 'voicemail',
          occurredAt: receivedAt,
          timeFrom: 'received',
          legId: null,
        },
      ]
    : [];

const RECORDING: ReadonlyMap<string, RecordingEvent['status']> = new Map(
  Object.entries({
    'in-progress': 'in_progress',
    completed: 'available',
    absent: 'absent',
    failed: 'failed',
  } as const),
);

const recordingOf = (params: Params): RecordingEvent[] => {
  const recordingId = params.get('RecordingSid');
  const status = RECORDING.get(params.get('RecordingStatus') ?? '');
  if (!recordingId || !status) return [];
  const seconds = secondsOf(params.get('RecordingDuration'));
  const startedAt = parseTime(params.get('RecordingStartTime'));
  const channels = params.get('RecordingChannels');
  return [
    {
      recordingId,
      status,
      callKey: params.get('CallSid') ?? null,
      startedAt: Number.isNaN(startedAt) ? null : startedAt,
      durationMs: seconds === undefined ? null : seconds * 1_000,
      channels: channels === '1' ? 1 : channels === '2' ? 2 : null,
      source: params.get('RecordingSource') ?? null,
      errorCode: params.get('ErrorCode') ?? null,
      mediaUrl: params.get('RecordingUrl') ?? null,
      mediaExpiresAt: null,
    },
  ];
};

/** Made from what is signed and stays the same. An unsigned header would let a fact in twice. */
export const keyOfMarkup = (delivery: Delivery): string => {
  let text = `${delivery.route} ${stepOf(delivery) ?? ''}`;
  for (const [name, value] of paramsOf(delivery)) text += `\u0000${name}\u0000${value}`;
  return hash('sha256', text, 'hex');
};

export const factsOfMarkup = (delivery: Delivery, receivedAt: number): DeliveryFacts => {
  const params = paramsOf(delivery);
  const step = stepOf(delivery);
  return {
    call: callOf(params),
    events: [
      ...statusEvent(params, receivedAt),
      ...dialEvent(params, step, receivedAt),
      ...voicemailEvent(params, step, receivedAt),
    ],
    recordings: recordingOf(params),
  };
};
