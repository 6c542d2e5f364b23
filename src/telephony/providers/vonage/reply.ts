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

/**
 * Returns what to do after a `connect`. Only for the statuses in `FAILURES` does our reply replace what the caller
 * hears ("dynamic connect", seen November 2026).
 */
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

/**
 * Makes an action that speaks a text. Angle brackets are removed, because Vonage reads them as speech markup. Without
 * any text there is no action, because an empty one would end the call.
 */
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
 * How many seconds a dialed leg waits if no key is pressed. Vonage has no action that hangs up, and connects a dialed
 * leg to the caller when its actions end. So the dialed party hears silence until they hang up.
 */
const DIALED_LEG_WAITS = 7_200;
const isForDialedLeg = (plan: Plan): boolean =>
  plan.some(({ verb }) => verb === 'ask_key') || (plan.length === 1 && plan[0]?.verb === 'hang_up');

const ACTIONS: Vocabulary<Action> = {
  say: (verb) => talk(verb),
  // Rings only the first number: `connect` takes one, and a second `connect` would make a three-way conference.
  dial: ({ numbers: [number], ringSeconds, screen, record, next }, { stepUrl, recordingUrl }) => {
    if (number === undefined) return [];
    const recording = { action: 'record', format: 'mp3', split: 'conversation', channels: 2, eventMethod: 'POST' };
    const connect = {
      action: 'connect',
      // Carriers refuse calls from a number that isn't the application's. The called number isn't known here, so Vonage
      // picks one of the application's.
      randomFromNumber: true,
      timeout: ringSeconds,
      eventType: 'synchronous',
      // A screened leg reports to the URL of its own step, so that picking up alone isn't taken for a person.
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
  // The recording shows whether there is a message, even if the caller hangs up. `notify` asks what to say afterward.
  take_message: ({ mostSeconds, transcribe, next }, { stepUrl, recordingUrl }) => [
    {
      action: 'record',
      format: 'mp3',
      beepStart: true,
      endOnKey: '#',
      endOnSilence: SILENCE_SECONDS,
      timeOut: mostSeconds,
      ...(transcribe && { transcription: { eventUrl: [recordingUrl], eventMethod: 'POST' } }),
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
  // A dialed leg is connected when its actions end, so the only action is a wait, as short as possible.
  connect: () => [wait(0.1)],
  hang_up: (_, __, plan) => (isForDialedLeg(plan) ? [wait(DIALED_LEG_WAITS)] : []),
};

export const render: TelephonyProvider['render'] = (plan, context) => ({
  status: 200,
  contentType: 'application/json; charset=utf-8',
  body: JSON.stringify(sayPlan(ACTIONS, plan, context)),
});
