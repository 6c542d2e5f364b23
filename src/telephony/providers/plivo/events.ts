import type { CallFact } from '../../contract/call-fact.ts';
import type { MarkupParams } from '../../markup/params.ts';
import { happened, talked } from '../../provider-parts/facts.ts';
import { wordsFor } from '../../provider-parts/values.ts';
import { endReasonOf, isFinal } from './end-reason.ts';
import { sessionEndOf, sessionStartOf } from './instant.ts';
import { recordedMsOf, secondsOf } from './recording.ts';

/** Returns the id of the call, the same for all its legs. */
export const callKeyOf = (params: MarkupParams): string | null =>
  params.get('DialALegUUID') || params.get('ALegUUID') || params.get('CallUUID') || null;

/**
 * Whether a person was reached. Plivo names the dialed leg only once it was connected to the caller (docs: "empty if
 * nobody answers").
 */
export const isReached = (params: MarkupParams): boolean =>
  params.get('DialStatus') === 'completed' && (params.get('DialBLegUUID') ?? '') !== '';

const endedEvent = (params: MarkupParams, receivedAt: number): CallFact => {
  const status = params.get('CallStatus') ?? '';
  const talkSeconds = secondsOf(params, 'Duration');
  const wasUp = status === 'completed' && (talkSeconds ?? 0) > 0;
  const reason = wasUp
    ? 'completed'
    : endReasonOf({ status, cause: params.get('HangupCause'), code: params.get('HangupCauseCode') });
  return {
    key: `${params.get('CallUUID')} ended`,
    kind: 'ended',
    ...sessionEndOf(params, receivedAt),
    legId: null,
    reason,
    ...talked(talkSeconds),
    ...(reason === 'unknown' ? { raw: params.get('HangupCause') || status } : {}),
  };
};

const KINDS = wordsFor({ ringing: 'ringing', answered: 'in-progress' });
const BEGINNINGS = new Set(['', 'StartApp', 'Ring']);

/**
 * Reads what happened to the call's own leg. That it was answered doesn't mean a person: Plivo answers an inbound call
 * itself, to run our reply.
 */
const statusEvents = (params: MarkupParams, receivedAt: number): CallFact[] => {
  const status = params.get('CallStatus') ?? '';
  const event = params.get('Event') ?? '';
  if (event === 'Hangup' || (event === '' && isFinal(status))) return [endedEvent(params, receivedAt)];
  if (status === '' && event === '') return [];
  const id = params.get('CallUUID');
  const kind = BEGINNINGS.has(event) ? KINDS.get(status) : undefined;
  return kind
    ? [{ key: `${id} ${status}`, kind, ...sessionStartOf(params, receivedAt), legId: null }]
    : [
        {
          key: `${id} ${event} ${status}`,
          kind: 'other',
          ...happened(null, receivedAt),
          legId: null,
          raw: `${event} ${status}`.trim(),
        },
      ];
};

/**
 * Reads what happened to a dialed leg. `answer` comes as soon as anything picks up. `connected` comes when the callee
 * is connected, after the key press if one is required.
 */
const legEvents = (params: MarkupParams, action: string, receivedAt: number): CallFact[] => {
  // The dialed number isn't part of the key, not even as a hash: keys are stored in the clear, and a hashed number can
  // be guessed. Legs without an id were never connected, so several that ended alike may share a key.
  const leg = params.get('DialBLegUUID') || `unnamed ${params.get('DialBLegHangupCause') ?? ''}`;
  const fact = {
    key: `${callKeyOf(params)} leg ${leg} ${action}`,
    ...happened(null, receivedAt),
    legId: params.get('DialBLegUUID') || null,
  };
  if (action === 'answer') return [{ ...fact, kind: 'forwarded' }];
  if (action === 'connected') return [{ ...fact, kind: 'bridged' }];
  if (action !== 'hangup')
    return [{ ...fact, key: `${fact.key} ${params.get('DialDigitsMatch') ?? ''}`, kind: 'other', raw: action }];
  const cause = params.get('DialBLegHangupCause');
  const code = params.get('DialBLegHangupCauseCode');
  const reason = endReasonOf({ cause, code });
  return [
    {
      ...fact,
      kind: 'forward_ended',
      reason,
      ...talked(secondsOf(params, 'DialBLegDuration')),
      ...(reason === 'unknown' ? { raw: cause || code || action } : {}),
    },
  ];
};

/** Reads how forwarding as a whole ended. */
const dialEvents = (params: MarkupParams, status: string, receivedAt: number): CallFact[] => {
  const reachedHuman = isReached(params);
  const cause = params.get('DialHangupCause');
  const reason = reachedHuman ? 'completed' : endReasonOf({ status, cause });
  return [
    {
      key: `${callKeyOf(params)} dial ${params.get('DialBLegUUID') ?? ''} ${status}`,
      kind: 'forward_ended',
      ...happened(null, receivedAt),
      legId: params.get('DialBLegUUID') || null,
      reason,
      reachedHuman,
      ...(reason === 'unknown' ? { raw: status } : {}),
    },
  ];
};

const voicemailEvents = (params: MarkupParams, receivedAt: number): CallFact[] =>
  (recordedMsOf(params) ?? 0) > 0
    ? [{ key: `${callKeyOf(params)} voicemail`, kind: 'voicemail', ...happened(null, receivedAt), legId: null }]
    : [];

/**
 * Reads what a delivery says about its call. Each delivery reports one thing. Its other parameters only say which call
 * and leg it's about.
 */
export const eventsOf = (
  params: MarkupParams,
  { route, step }: { route: 'voice' | 'recording'; step: string | null },
  receivedAt: number,
): CallFact[] => {
  if (step === 'voicemail') return voicemailEvents(params, receivedAt);
  if (route === 'recording') return [];
  const action = params.get('DialAction');
  if (action) return legEvents(params, action, receivedAt);
  const status = params.get('DialStatus');
  return status ? dialEvents(params, status, receivedAt) : statusEvents(params, receivedAt);
};
