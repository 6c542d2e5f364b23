import type { Occasion, Plan, Verb } from '../../contract/answer-plan.ts';
import { type Delivery, stepOf } from '../../contract/delivery.ts';
import type { ReplyContext, ReplyDocument } from '../../contract/provider.ts';
import { type Element, element, renderXml } from '../../contract/xml.ts';
import { paramsOf } from '../../markup/params.ts';
import { isReached } from './events.ts';

/** Without it, a 5xx isn't retried (docs: "Callback Configurations"; seen November 2026). It isn't signed. */
export const RETRY = '#rc=3&rp=ct,rt,5xx';

const KEY = '1';
/** Without it, whatever picks up keeps the caller waiting for two minutes. */
const KEY_SECONDS = 20;
/** The longest forwarded call; without it, a recording ends after a minute. */
const LONGEST_CALL_SECONDS = 4 * 3_600;

const ANSWERABLE = new Set(['ringing', 'in-progress']);

export const occasionOf = (delivery: Delivery): Occasion => {
  const params = paramsOf(delivery);
  if (delivery.route === 'recording') return { kind: 'nothing' };
  switch (stepOf(delivery)) {
    case 'dialed':
      return { kind: 'after_dial', reached: isReached(params) };
    case 'voicemail':
      return { kind: 'after_voicemail' };
    case 'screen':
      return { kind: 'screen' };
    case null: {
      const isNew = (params.get('Event') ?? 'StartApp') === 'StartApp' && !params.has('DialAction');
      return isNew && ANSWERABLE.has(params.get('CallStatus') ?? '') ? { kind: 'answer' } : { kind: 'nothing' };
    }
    default:
      return { kind: 'nothing' };
  }
};

const withStep = (address: string, step: string): string => {
  const url = new URL(address);
  url.searchParams.set('step', step);
  return url.href;
};

const speak = (text: string): Element => element('Speak', {}, text);

/** The dialed party is recorded by a separate element, which waits for the dial. */
const recordDial = ({ recordingUrl }: ReplyContext): Element =>
  element('Record', {
    startOnDialAnswer: 'true',
    // Both are needed: the first names the call, and the second comes when the file is available.
    action: `${recordingUrl}${RETRY}`,
    callbackUrl: `${recordingUrl}${RETRY}`,
    // Otherwise the call continues at the action, and nobody is dialed.
    redirect: 'false',
    fileFormat: 'mp3',
    maxLength: LONGEST_CALL_SECONDS,
  });

const dial = (verb: Extract<Verb, { verb: 'dial' }>, { stepUrl }: ReplyContext): Element =>
  element(
    'Dial',
    {
      action: `${stepUrl(verb.next)}${RETRY}`,
      timeout: verb.ringSeconds,
      callbackUrl: `${withStep(stepUrl(verb.next), 'status')}${RETRY}`,
      confirmSound: verb.screen ? `${stepUrl('screen')}${RETRY}` : null,
      confirmKey: verb.screen ? KEY : null,
      confirmTimeout: verb.screen ? KEY_SECONDS : null,
    },
    ...verb.numbers.map((number) => element('Number', {}, number)),
  );

const toElements = (verb: Verb, context: ReplyContext): Element[] => {
  switch (verb.verb) {
    case 'say':
      return [speak(verb.text)];
    case 'dial':
      return [...(verb.record ? [recordDial(context)] : []), dial(verb, context)];
    case 'take_message':
      return [
        element('Record', {
          action: `${context.stepUrl(verb.next)}${RETRY}`,
          callbackUrl: `${withStep(context.recordingUrl, verb.next)}${RETRY}`,
          fileFormat: 'mp3',
          maxLength: verb.mostSeconds,
          playBeep: 'true',
        }),
      ];
    case 'ask_key':
      // Plivo waits for the key itself, and for one key only, so "any key" would be wrong.
      return [speak(`You have a call. Press ${KEY} to accept.`)];
    case 'connect':
      return [];
    case 'hang_up':
      return [element('Hangup')];
  }
};

/** Only speech can be played to the dialed person: there, silence ends the leg. */
const playable = (plan: Plan): Plan =>
  plan.some(({ verb }) => verb === 'ask_key') ? plan.filter(({ verb }) => verb !== 'hang_up') : plan;

export const renderPlivo = (plan: Plan, context: ReplyContext): ReplyDocument => ({
  status: 200,
  contentType: 'text/xml; charset=utf-8',
  body: renderXml(element('Response', {}, ...playable(plan).flatMap((verb) => toElements(verb, context)))),
});

/** Anything but a 200 is retried (docs: "Callback Configurations"; seen November 2026). */
export const acknowledge = (): ReplyDocument => ({ status: 200, contentType: null, body: '' });
