import { hash } from 'node:crypto';
import type { CallEvent, DeliveryFacts } from '../../contract/call-event.ts';
import { type Delivery, FORM, stepOf } from '../../contract/delivery.ts';
import { factsOfMarkup } from '../../markup/facts.ts';
import type { Params } from '../../markup/params.ts';
import { expiryOf } from './media.ts';
import { toInstant } from './payload.ts';

const OVER = new Set(['completed', 'no-answer', 'busy', 'canceled', 'failed']);
/** Our screening hangs up long before. A person answered a leg that lasted longer. */
const SURELY_TAKEN_SECONDS = 60;

const hasTaken = (params: Params): boolean => {
  const status = params.get('DialCallStatus');
  return status === 'completed' || status === 'answered';
};

/** If a key press is required, picking up doesn't mean that it happened. */
export const isReached = (params: Params, isScreened: boolean): boolean =>
  hasTaken(params) &&
  params.get('DialBridged') !== 'false' &&
  (!isScreened ||
    params.get('DialBridged') === 'true' ||
    Number(params.get('DialCallDuration')) > SURELY_TAKEN_SECONDS);

/** The last notice of a call repeats how forwarding ended; the repetition must not make it certain. */
const isLastNotice = (params: Params): boolean =>
  params.has('CallbackSource') && OVER.has(params.get('CallStatus') ?? '');

/** In the shared markup's terms, and without the URL: nothing after this depends on the step. */
const translate = (params: Params): Delivery => {
  const said = new URLSearchParams([...params]);
  const instant = toInstant(params.get('Timestamp'));
  if (instant === null) said.delete('Timestamp');
  else said.set('Timestamp', new Date(instant).toISOString());
  if (isLastNotice(params)) said.delete('DialCallStatus');
  return {
    route: 'voice',
    method: 'POST',
    target: '/',
    headers: { 'content-type': FORM },
    body: Buffer.from(said.toString()),
  };
};

/**
 * We ask for a key only on a dialed leg, which names the caller's. A message may also end with a key, but then a
 * recording is reported.
 */
const isKeyOfDialed = (params: Params): boolean =>
  (params.get('Digits') ?? '') !== '' && !params.has('RecordingUrl') && !params.has('RecordingDuration');

const isMessage = (params: Params): boolean => {
  if (!(Number(params.get('RecordingDuration')) > 0) || params.has('CallbackSource')) return false;
  return params.has('RecordingStatus')
    ? params.get('RecordingSource') === 'RecordVerb' && params.get('RecordingStatus') === 'completed'
    : !params.has('DialCallStatus');
};

const addedEvents = (params: Params, receivedAt: number): CallEvent[] => {
  const leg = params.get('CallSid') ?? '';
  const now = { occurredAt: receivedAt, timeFrom: 'received' } as const;
  return [
    ...(isKeyOfDialed(params) && params.get('ParentCallSid')
      ? [{ key: `${leg} bridged`, kind: 'bridged', legId: leg, ...now } as const]
      : []),
    ...(isMessage(params) ? [{ key: `${leg} voicemail`, kind: 'voicemail', legId: null, ...now } as const] : []),
  ];
};

/** A dialed leg that requests a document without naming the caller's would look like a separate call. */
const isStrayLeg = (params: Params): boolean =>
  !params.get('ParentCallSid') &&
  !params.has('CallbackSource') &&
  (isKeyOfDialed(params) || (params.get('Direction') ?? '').startsWith('outbound'));

/** Made from the body alone: the same body sent to another URL is the same delivery. */
export const keyOfForm = (params: Params): string => hash('sha256', JSON.stringify([...params].sort()), 'hex');

/**
 * What a TeXML delivery says. The URL isn't signed, so it can only take certainty away: it says that forwarding was
 * screened, and nothing else.
 */
export const factsOfForm = (delivery: Delivery, params: Params, receivedAt: number): DeliveryFacts => {
  const told = factsOfMarkup(translate(params), receivedAt);
  const recordings = told.recordings.map((recording) => ({
    ...recording,
    mediaExpiresAt: expiryOf(recording.mediaUrl, receivedAt),
  }));
  if (isStrayLeg(params)) return { call: null, events: [], recordings };
  const isScreened = stepOf(delivery) === 'screened';
  const events = told.events.map((event) =>
    event.reachedHuman === undefined ? event : { ...event, reachedHuman: isReached(params, isScreened) },
  );
  return {
    call: told.call,
    events: [...events, ...(told.call ? addedEvents(params, receivedAt) : [])],
    recordings,
  };
};
