import type { Occasion } from '../contract/answer-plan.ts';
import type { Delivery } from '../contract/delivery.ts';
import { occasionAt, renderXmlWith, type Spoken, type Vocabulary } from '../provider-parts/reply.ts';
import { type Element, element } from '../provider-parts/xml.ts';
import { type MarkupParams, paramsOf } from './params.ts';

const ANSWERABLE = new Set(['ringing', 'in-progress', 'queued']);
const KEY_SECONDS = 8;

/** Whether forwarding is over, and someone picked up. */
export const hasPickedUp = (params: MarkupParams): boolean => {
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

const say = ({ text, speech }: Spoken): Element =>
  element('Say', { voice: speech?.voice ?? null, language: speech?.language ?? null }, text);

/** Names of the attributes of `Record` that ask for a transcript. */
type TranscribeNames = { wish: string; callback: string };

const verbsWith = (transcribeAs: TranscribeNames): Vocabulary<Element> => ({
  say: (verb) => [say(verb)],
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
  take_message: ({ mostSeconds, transcribe, next }, { stepUrl, recordingUrl }) => [
    element('Record', {
      action: stepUrl(next),
      maxLength: mostSeconds,
      playBeep: 'true',
      recordingStatusCallback: recordingUrl,
      [transcribeAs.wish]: transcribe ? 'true' : null,
      [transcribeAs.callback]: transcribe ? recordingUrl : null,
    }),
  ],
  ask_key: (verb, { stepUrl }) => [
    element('Gather', { action: stepUrl(verb.next), numDigits: 1, timeout: KEY_SECONDS }, say(verb)),
  ],
  // An empty document: when it ends, the provider connects caller and callee.
  connect: () => [],
  hang_up: () => [element('Hangup')],
});

export const renderMarkupWith = (transcribeAs: TranscribeNames) => renderXmlWith(verbsWith(transcribeAs));

export const renderMarkup = renderMarkupWith({ wish: 'transcribe', callback: 'transcribeCallback' });
