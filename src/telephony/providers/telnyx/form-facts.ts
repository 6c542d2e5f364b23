import { hash } from 'node:crypto';
import type { CallFact, DeliveryFacts } from '../../contract/call-fact.ts';
import { type Delivery, stepOf } from '../../contract/delivery.ts';
import { factsOfParams, voicemailEvent } from '../../markup/facts.ts';
import type { MarkupParams } from '../../markup/params.ts';
import { hasPickedUp } from '../../markup/reply.ts';
import { bridgedEvent, isSurelyReached } from '../../markup/screening.ts';
import { expiryOf } from './media.ts';

const OVER = new Set(['completed', 'no-answer', 'busy', 'canceled', 'failed']);

/**
 * Removes `DialCallStatus` from the last notice of a call. It only repeats how forwarding ended, and the notice doesn't
 * say whether forwarding was screened. So it must not be read as a person having answered.
 */
const withoutRepetition = (params: MarkupParams): MarkupParams =>
  params.has('CallbackSource') && OVER.has(params.get('CallStatus') ?? '')
    ? new Map([...params].filter(([name]) => name !== 'DialCallStatus'))
    : params;

/**
 * Whether a key was pressed on a dialed leg, the only one on which we ask for it. A message may also end with a key,
 * but then a recording is reported.
 */
const isKeyOfDialed = (params: MarkupParams): boolean =>
  (params.get('Digits') ?? '') !== '' && !params.has('RecordingUrl') && !params.has('RecordingDuration');

const isMessage = (params: MarkupParams): boolean => {
  if (!(Number(params.get('RecordingDuration')) > 0) || params.has('CallbackSource')) return false;
  return params.has('RecordingStatus')
    ? params.get('RecordingSource') === 'RecordVerb' && params.get('RecordingStatus') === 'completed'
    : !params.has('DialCallStatus');
};

const addedEvents = (params: MarkupParams, receivedAt: number): CallFact[] => [
  ...(isKeyOfDialed(params) && params.get('ParentCallSid') ? [bridgedEvent(params, receivedAt)] : []),
  ...(isMessage(params) ? [voicemailEvent(params, receivedAt)] : []),
];

/** Whether a dialed leg requests a document without naming the caller's leg, and so looks like another call. */
const isStrayLeg = (params: MarkupParams): boolean =>
  !params.get('ParentCallSid') &&
  !params.has('CallbackSource') &&
  (isKeyOfDialed(params) || (params.get('Direction') ?? '').startsWith('outbound'));

/** Makes the key from the body alone: the same body sent to another URL is the same delivery. */
export const keyOfForm = (params: MarkupParams): string => hash('sha256', JSON.stringify([...params].sort()), 'hex');

/**
 * Reads what a TeXML delivery says. The URL isn't signed, so its step is no evidence that a person answered. With the
 * step `screened`, more evidence is needed.
 */
export const factsOfForm = (delivery: Delivery, params: MarkupParams, receivedAt: number): DeliveryFacts => {
  if (params.has('TranscriptionStatus')) return factsOfParams(params, { step: null, receivedAt, reached: false });
  const reached = stepOf(delivery) === 'screened' ? isSurelyReached(params) : hasPickedUp(params);
  const told = factsOfParams(withoutRepetition(params), { step: null, receivedAt, reached });
  const recordings = told.recordings.map((recording) => ({
    ...recording,
    mediaExpiresAt: expiryOf(recording.mediaUrl, receivedAt),
  }));
  if (isStrayLeg(params)) return { call: null, events: [], recordings };
  const { call } = told;
  return { call, events: [...told.events, ...(call ? addedEvents(params, receivedAt) : [])], recordings };
};
