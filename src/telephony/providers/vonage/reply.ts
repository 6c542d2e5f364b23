import type { Occasion, Plan, Verb } from '../../contract/answer-plan.ts';
import { type Delivery, stepOf } from '../../contract/delivery.ts';
import type { ReplyContext, ReplyDocument } from '../../contract/provider.ts';
import { FAILURES } from './facts.ts';
import { asksForReply, digitsOf, fieldsOf, isDialledLeg, textOf } from './fields.ts';

type Action = Readonly<Record<string, unknown>>;

const KEY_SECONDS = 8;
const SILENCE_SECONDS = 10;

/** The states of a `connect` whose reply replaces what the caller hears ("dynamic connect", seen November 2026). */
const afterDial = (status: string | null): Occasion =>
  FAILURES.has(status ?? '') ? { kind: 'after_dial', reached: false } : { kind: 'nothing' };

export const occasionOf = (delivery: Delivery): Occasion => {
  const fields = fieldsOf(delivery);
  const status = textOf(fields, 'status');
  if (delivery.route === 'recording') return { kind: 'nothing' };
  switch (stepOf(delivery)) {
    case null:
      return asksForReply(fields) ? { kind: 'answer' } : { kind: 'nothing' };
    case 'dialed':
      return isDialledLeg(delivery, fields) ? afterDial(status) : { kind: 'nothing' };
    case 'screen':
      if (asksForReply(fields)) return { kind: 'screen' };
      return isDialledLeg(delivery, fields) ? afterDial(status) : { kind: 'nothing' };
    case 'screened':
      return 'dtmf' in fields ? { kind: 'screened', pressed: digitsOf(fields) !== '' } : { kind: 'nothing' };
    case 'voicemail':
      return status === null ? { kind: 'after_voicemail' } : { kind: 'nothing' };
    default:
      return { kind: 'nothing' };
  }
};

/** Text in angle brackets would be speech markup, and an action without text ends the call. */
const talk = (text: string, options: Action = {}): Action[] => {
  const plain = text
    .toWellFormed()
    .replace(/[<>\p{Cc}]/gu, ' ')
    .trim();
  return plain === '' ? [] : [{ action: 'talk', text: plain, ...options }];
};

const withStep = (address: string, step: string): string => {
  const url = new URL(address);
  url.searchParams.set('step', step);
  return url.href;
};

const wait = (seconds: number): Action => ({ action: 'wait', timeout: seconds });

/** Rings only the first number: `connect` takes one, and a second `connect` makes a three-way conference. */
const dial = ({ numbers, ...verb }: Extract<Verb, { verb: 'dial' }>, context: ReplyContext): Action[] => {
  const [number] = numbers;
  if (number === undefined) return [];
  const record = { action: 'record', format: 'mp3', split: 'conversation', channels: 2, eventMethod: 'POST' };
  // A screened leg reports to the screen's own URL, so that picking up isn't taken for a person.
  const next = verb.screen ? 'screen' : verb.next;
  const connect = {
    action: 'connect',
    // The called number isn't known here, and carriers refuse calls without one of the application's own.
    randomFromNumber: true,
    timeout: verb.ringSeconds,
    eventType: 'synchronous',
    eventUrl: [context.stepUrl(next)],
    eventMethod: 'POST',
    endpoint: [
      {
        type: 'phone',
        number: number.replace(/^\+/, ''),
        ...(verb.screen ? { onAnswer: { url: context.stepUrl('screen') } } : {}),
      },
    ],
  };
  return [...(verb.record ? [{ ...record, eventUrl: [context.recordingUrl] }] : []), connect];
};

/** The recording says whether there is a message, even if the caller hangs up; `notify` asks what to say afterwards. */
const takeMessage = (verb: Extract<Verb, { verb: 'take_message' }>, context: ReplyContext): Action[] => [
  {
    action: 'record',
    format: 'mp3',
    beepStart: true,
    endOnKey: '#',
    endOnSilence: SILENCE_SECONDS,
    timeOut: verb.mostSeconds,
    eventUrl: [withStep(context.recordingUrl, verb.next)],
    eventMethod: 'POST',
  },
  { action: 'notify', payload: { step: verb.next }, eventUrl: [context.stepUrl(verb.next)], eventMethod: 'POST' },
];

const askKey = (verb: Extract<Verb, { verb: 'ask_key' }>, context: ReplyContext): Action[] => [
  ...talk(verb.text, { bargeIn: true }),
  {
    action: 'input',
    type: ['dtmf'],
    dtmf: { maxDigits: 1, timeOut: KEY_SECONDS },
    eventUrl: [context.stepUrl(verb.next)],
    eventMethod: 'POST',
  },
];

/**
 * There is no action that hangs up. The caller's leg ends with its document; a dialed leg is connected to the caller
 * when its own ends. So anyone who presses no key waits in silence until they hang up.
 */
const DIALLED_LEG_WAITS = 7_200;
const isForDialledLeg = (plan: Plan): boolean =>
  plan.some(({ verb }) => verb === 'ask_key') || (plan.length === 1 && plan[0]?.verb === 'hang_up');

const toActions = (verb: Verb, plan: Plan, context: ReplyContext): Action[] => {
  switch (verb.verb) {
    case 'say':
      return talk(verb.text);
    case 'dial':
      return dial(verb, context);
    case 'take_message':
      return takeMessage(verb, context);
    case 'ask_key':
      return askKey(verb, context);
    case 'connect':
      // As short as possible: a dialed leg is connected when its document ends.
      return [wait(0.1)];
    case 'hang_up':
      return isForDialledLeg(plan) ? [wait(DIALLED_LEG_WAITS)] : [];
  }
};

export const render = (plan: Plan, context: ReplyContext): ReplyDocument => ({
  status: 200,
  contentType: 'application/json; charset=utf-8',
  body: JSON.stringify(plan.flatMap((verb) => toActions(verb, plan, context))),
});

/** Nothing to do: the call continues as instructed. */
export const acknowledge = (): ReplyDocument => ({ status: 204, contentType: null, body: '' });
