import type { Occasion, Plan } from '../../contract/answer-plan.ts';
import { type Delivery, stepOf } from '../../contract/delivery.ts';
import type { TelephonyProvider } from '../../contract/provider.ts';
import { withStep } from '../../contract/webhook-url.ts';
import { type Spoken, sayPlan, type Vocabulary } from '../../provider-parts/reply.ts';
import { FAILURES } from './facts.ts';
import { asksForReply, digitsOf, fieldsOf, isDialedLeg, textOrNumberOf } from './fields.ts';

type Action = Readonly<Record<string, unknown>>;

const KEY_SECONDS = 8;
const SILENCE_SECONDS = 10;

/** The states of a `connect` whose reply replaces what the caller hears ("dynamic connect", seen November 2026). */
const afterDial = (status: string | null): Occasion =>
  FAILURES.has(status ?? '') ? { kind: 'after_dial', reached: false } : { kind: 'nothing' };

export const occasionOf = (delivery: Delivery): Occasion => {
  const fields = fieldsOf(delivery);
  const status = textOrNumberOf(fields, 'status');
  if (delivery.route === 'recording') return { kind: 'nothing' };
  switch (stepOf(delivery)) {
    case null:
      return asksForReply(fields) ? { kind: 'answer' } : { kind: 'nothing' };
    case 'dialed':
      return isDialedLeg(delivery, fields) ? afterDial(status) : { kind: 'nothing' };
    case 'screen':
      if (asksForReply(fields)) return { kind: 'screen' };
      return isDialedLeg(delivery, fields) ? afterDial(status) : { kind: 'nothing' };
    case 'screened':
      return 'dtmf' in fields ? { kind: 'screened', pressed: digitsOf(fields) !== '' } : { kind: 'nothing' };
    case 'voicemail':
      return status === null ? { kind: 'after_voicemail' } : { kind: 'nothing' };
    default:
      return { kind: 'nothing' };
  }
};

/** Text in angle brackets would be speech markup, and an action without text ends the call. */
const talk = ({ text, speech }: Spoken, options: Action = {}): Action[] => {
  const plain = text
    .toWellFormed()
    .replace(/[<>\p{Cc}]/gu, ' ')
    .trim();
  const voice = speech && { language: speech.language, style: Number(speech.voice) };
  return plain === '' ? [] : [{ action: 'talk', text: plain, ...voice, ...options }];
};

const wait = (seconds: number): Action => ({ action: 'wait', timeout: seconds });

/**
 * There is no action that hangs up. The caller's leg ends with its document; a dialed leg is connected to the caller
 * when its own ends. So anyone who presses no key waits in silence until they hang up.
 */
const DIALED_LEG_WAITS = 7_200;
const isForDialedLeg = (plan: Plan): boolean =>
  plan.some(({ verb }) => verb === 'ask_key') || (plan.length === 1 && plan[0]?.verb === 'hang_up');

const ACTIONS: Vocabulary<Action> = {
  say: (verb) => talk(verb),
  // Rings only the first number: `connect` takes one, and a second `connect` makes a three-way conference.
  dial: ({ numbers: [number], ringSeconds, screen, record, next }, { stepUrl, recordingUrl }) => {
    if (number === undefined) return [];
    const recording = { action: 'record', format: 'mp3', split: 'conversation', channels: 2, eventMethod: 'POST' };
    const connect = {
      action: 'connect',
      // The called number isn't known here, and carriers refuse calls without one of the application's own.
      randomFromNumber: true,
      timeout: ringSeconds,
      eventType: 'synchronous',
      // A screened leg reports to the screen's own URL, so that picking up isn't taken for a person.
      eventUrl: [stepUrl(screen ? 'screen' : next)],
      eventMethod: 'POST',
      endpoint: [
        {
          type: 'phone',
          number: number.replace(/^\+/, ''),
          ...(screen ? { onAnswer: { url: stepUrl('screen') } } : {}),
        },
      ],
    };
    return [...(record ? [{ ...recording, eventUrl: [recordingUrl] }] : []), connect];
  },
  // The recording says whether there is a message, even if the caller hangs up; `notify` asks what to say afterward.
  take_message: ({ mostSeconds, next }, { stepUrl, recordingUrl }) => [
    {
      action: 'record',
      format: 'mp3',
      beepStart: true,
      endOnKey: '#',
      endOnSilence: SILENCE_SECONDS,
      timeOut: mostSeconds,
      eventUrl: [withStep(recordingUrl, next)],
      eventMethod: 'POST',
    },
    { action: 'notify', payload: { step: next }, eventUrl: [stepUrl(next)], eventMethod: 'POST' },
  ],
  ask_key: (verb, { stepUrl }) => [
    ...talk(verb, { bargeIn: true }),
    {
      action: 'input',
      type: ['dtmf'],
      dtmf: { maxDigits: 1, timeOut: KEY_SECONDS },
      eventUrl: [stepUrl(verb.next)],
      eventMethod: 'POST',
    },
  ],
  // As short as possible: a dialed leg is connected when its document ends.
  connect: () => [wait(0.1)],
  hang_up: (_, __, plan) => (isForDialedLeg(plan) ? [wait(DIALED_LEG_WAITS)] : []),
};

export const render: TelephonyProvider['render'] = (plan, context) => ({
  status: 200,
  contentType: 'application/json; charset=utf-8',
  body: JSON.stringify(sayPlan(ACTIONS, plan, context)),
});
