import type { Occasion } from '../contract/answer-plan.ts';
import type { Delivery } from '../contract/delivery.ts';
import { occasionAt, renderXmlWith, type Vocabulary } from '../wire/reply.ts';
import { type Element, element } from '../wire/xml.ts';
import { type Params, paramsOf } from './params.ts';

const ANSWERABLE = new Set(['ringing', 'in-progress', 'queued']);
const KEY_SECONDS = 8;

/** Forwarding is over, and someone picked up. */
export const hasPickedUp = (params: Params): boolean => {
  const status = params.get('DialCallStatus');
  return (status === 'completed' || status === 'answered') && params.get('DialBridged') !== 'false';
};

export const occasionOf = (delivery: Delivery): Occasion => {
  const params = paramsOf(delivery);
  return occasionAt(delivery, {
    isNew: ANSWERABLE.has(params.get('CallStatus') ?? '') && !params.has('CallbackSource'),
    reached: hasPickedUp(params),
    pressed: (params.get('Digits') ?? '') !== '',
  });
};

const VERBS: Vocabulary<Element> = {
  say: ({ text }) => [element('Say', {}, text)],
  dial: ({ numbers, ringSeconds, screen, record, next }, { stepUrl, recordingUrl }) => [
    element(
      'Dial',
      {
        action: stepUrl(next),
        timeout: ringSeconds,
        record: record ? 'record-from-answer-dual' : null,
        recordingStatusCallback: record ? recordingUrl : null,
      },
      ...numbers.map((number) => element('Number', { url: screen ? stepUrl('screen') : null }, number)),
    ),
  ],
  take_message: ({ mostSeconds, next }, { stepUrl, recordingUrl }) => [
    element('Record', {
      action: stepUrl(next),
      maxLength: mostSeconds,
      playBeep: 'true',
      recordingStatusCallback: recordingUrl,
    }),
  ],
  ask_key: ({ text, next }, { stepUrl }) => [
    element('Gather', { action: stepUrl(next), numDigits: 1, timeout: KEY_SECONDS }, element('Say', {}, text)),
  ],
  // When the document ends, the two are connected.
  connect: () => [],
  hang_up: () => [element('Hangup')],
};

export const renderMarkup = renderXmlWith(VERBS);
