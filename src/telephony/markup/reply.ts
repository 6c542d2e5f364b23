import type { Occasion, Plan, Verb } from '../contract/answer-plan.ts';
import { type Delivery, stepOf } from '../contract/delivery.ts';
import type { ReplyContext, ReplyDocument } from '../contract/provider.ts';
import { type Element, element, renderXml } from '../contract/xml.ts';
import { paramsOf } from './params.ts';

const ANSWERABLE = new Set(['ringing', 'in-progress', 'queued']);
const KEY_SECONDS = 8;

export const occasionOf = (delivery: Delivery): Occasion => {
  const params = paramsOf(delivery);
  if (delivery.route === 'recording') return { kind: 'nothing' };
  switch (stepOf(delivery)) {
    case 'dialed': {
      const status = params.get('DialCallStatus');
      const taken = status === 'completed' || status === 'answered';
      return { kind: 'after_dial', reached: taken && params.get('DialBridged') !== 'false' };
    }
    case 'voicemail':
      return { kind: 'after_voicemail' };
    case 'status':
      return { kind: 'nothing' };
    case 'screen':
      return { kind: 'screen' };
    case 'screened':
      return { kind: 'screened', pressed: (params.get('Digits') ?? '') !== '' };
    default:
      break;
  }
  const isNotice = params.has('CallbackSource') || !ANSWERABLE.has(params.get('CallStatus') ?? '');
  return isNotice ? { kind: 'nothing' } : { kind: 'answer' };
};

const dial = (verb: Extract<Verb, { verb: 'dial' }>, { stepUrl, recordingUrl }: ReplyContext): Element => {
  const screenUrl = verb.screen ? stepUrl('screen') : null;
  return element(
    'Dial',
    {
      action: stepUrl(verb.next),
      timeout: verb.ringSeconds,
      record: verb.record ? 'record-from-answer-dual' : null,
      recordingStatusCallback: verb.record ? recordingUrl : null,
    },
    ...verb.numbers.map((number) => element('Number', { url: screenUrl }, number)),
  );
};

const toElements = (verb: Verb, context: ReplyContext): Element[] => {
  switch (verb.verb) {
    case 'say':
      return [element('Say', {}, verb.text)];
    case 'dial':
      return [dial(verb, context)];
    case 'take_message':
      return [
        element('Record', {
          action: context.stepUrl(verb.next),
          maxLength: verb.mostSeconds,
          playBeep: 'true',
          recordingStatusCallback: context.recordingUrl,
        }),
      ];
    case 'ask_key':
      return [
        element(
          'Gather',
          { action: context.stepUrl(verb.next), numDigits: 1, timeout: KEY_SECONDS },
          element('Say', {}, verb.text),
        ),
      ];
    case 'connect':
      // When the document ends, the two are connected.
      return [];
    case 'hang_up':
      return [element('Hangup')];
  }
};

export const renderMarkup = (plan: Plan, context: ReplyContext): ReplyDocument => ({
  status: 200,
  contentType: 'text/xml; charset=utf-8',
  body: renderXml(element('Response', {}, ...plan.flatMap((verb) => toElements(verb, context)))),
});

/** A notice gets no document: an empty `<Response/>` would end the call. */
export const acknowledge = (): ReplyDocument => ({ status: 204, contentType: null, body: '' });
