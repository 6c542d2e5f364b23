import { hash } from 'node:crypto';
import type { CallEvent, Report } from '../../contract/call-event.ts';
import { type Delivery, FORM, stepOf } from '../../contract/delivery.ts';
import type { Params } from '../../markup/params.ts';
import { reportMarkup } from '../../markup/report.ts';
import { expiryOf } from './media.ts';
import { toInstant } from './payload.ts';

const OVER = new Set(['completed', 'no-answer', 'busy', 'canceled', 'failed']);
/** Our screening hangs up long before. A leg that lasted longer was taken by a person. */
const SURELY_TAKEN_SECONDS = 60;

const hasTaken = (params: Params): boolean => {
  const status = params.get('DialCallStatus');
  return status === 'completed' || status === 'answered';
};

/** Where the dialled person had to press a key, that the leg was picked up does not yet say that they did. */
export const isReached = (params: Params, isScreened: boolean): boolean =>
  hasTaken(params) &&
  params.get('DialBridged') !== 'false' &&
  (!isScreened ||
    params.get('DialBridged') === 'true' ||
    Number(params.get('DialCallDuration')) > SURELY_TAKEN_SECONDS);

/** The last notice of a call repeats how its forwarding went; told twice, it would be believed where it is uncertain. */
const isLastNotice = (params: Params): boolean =>
  params.has('CallbackSource') && OVER.has(params.get('CallStatus') ?? '');

/** In the shared markup's words, and without an address: nothing that follows hangs on the step. */
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
 * We ask for a key in one place alone: when somebody was dialled. It is their leg, and it names the caller's. A message
 * may be ended with a key as well, but then a recording is told of.
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

/** A dialled leg that asks for a document without naming the caller's would look like a call of its own. */
const isStrayLeg = (params: Params): boolean =>
  !params.get('ParentCallSid') &&
  !params.has('CallbackSource') &&
  (isKeyOfDialed(params) || (params.get('Direction') ?? '').startsWith('outbound'));

/** Made of the body alone: the same words sent to another address are the same delivery. */
export const keyOfForm = (params: Params): string => hash('sha256', JSON.stringify([...params].sort()), 'hex');

/**
 * What a TeXML delivery says. The address is not signed, so it can take certainty away and give none: it says that the
 * forwarding was screened, and nothing else.
 */
export const reportForm = (delivery: Delivery, params: Params, receivedAt: number): Report => {
  const told = reportMarkup(translate(params), receivedAt);
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
