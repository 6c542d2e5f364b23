import type { Occasion } from '../../contract/answer-plan.ts';
import { type Delivery, stepOf } from '../../contract/delivery.ts';
import type { TelephonyProvider } from '../../contract/provider.ts';
import { withStep } from '../../contract/webhook-url.ts';
import { paramsOf } from '../../markup/params.ts';
import { occasionAt, renderXmlWith, type Spoken, type Vocabulary } from '../../provider-parts/reply.ts';
import { type Element, element } from '../../provider-parts/xml.ts';
import { isReached } from './events.ts';

/**
 * URL fragment without which a 5xx isn't retried (docs: "Callback Configurations"; seen November 2026). It isn't
 * signed.
 */
export const RETRY = '#rc=3&rp=ct,rt,5xx';

const KEY = '1';
/**
 * How long to wait for the key. By default, it's two minutes, and if a voicemail picks up, the caller waits that long.
 */
const KEY_SECONDS = 20;
/** Limit for a forwarded call and its recording. By default, a recording ends after a minute. */
const LONGEST_CALL_SECONDS = 4 * 3_600;

const ANSWERABLE = new Set(['ringing', 'in-progress']);

export const occasionOf = (delivery: Delivery): Occasion => {
  const params = paramsOf(delivery);
  const isStart = (params.get('Event') ?? 'StartApp') === 'StartApp' && !params.has('DialAction');
  return occasionAt(delivery, {
    isNew: isStart && ANSWERABLE.has(params.get('CallStatus') ?? '') && stepOf(delivery) === null,
    reached: isReached(params),
    pressed: null,
  });
};

const speak = ({ text, speech }: Spoken): Element =>
  element('Speak', { voice: speech?.voice ?? null, language: speech?.language ?? null }, text);

/** Records the conversation. This is a separate element, which waits for the dial to be answered. */
const recordDial = (recordingUrl: string): Element =>
  element('Record', {
    startOnDialAnswer: 'true',
    // Both URLs are needed: the first request names the call, and the second comes when the file is available.
    action: `${recordingUrl}${RETRY}`,
    callbackUrl: `${recordingUrl}${RETRY}`,
    // With a redirect, the call would continue at the action, and nobody would be dialed.
    redirect: 'false',
    fileFormat: 'mp3',
    maxLength: LONGEST_CALL_SECONDS,
  });

const VERBS: Vocabulary<Element> = {
  say: (verb) => [speak(verb)],
  dial: ({ numbers, ringSeconds, screen, record, next }, { stepUrl, recordingUrl }) => [
    ...(record ? [recordDial(recordingUrl)] : []),
    element(
      'Dial',
      {
        action: `${stepUrl(next)}${RETRY}`,
        timeout: ringSeconds,
        callbackUrl: `${withStep(stepUrl(next), 'status')}${RETRY}`,
        confirmSound: screen ? `${stepUrl('screen')}${RETRY}` : null,
        confirmKey: screen ? KEY : null,
        confirmTimeout: screen ? KEY_SECONDS : null,
      },
      ...numbers.map((number) => element('Number', {}, number)),
    ),
  ],
  take_message: ({ mostSeconds, transcribe, next }, { stepUrl, recordingUrl }) => [
    element('Record', {
      action: `${stepUrl(next)}${RETRY}`,
      callbackUrl: `${withStep(recordingUrl, next)}${RETRY}`,
      fileFormat: 'mp3',
      maxLength: mostSeconds,
      playBeep: 'true',
      transcriptionType: transcribe ? 'auto' : null,
      transcriptionUrl: transcribe ? `${recordingUrl}${RETRY}` : null,
    }),
  ],
  // Plivo itself waits for the key, and only for this one, so the text can't say "any key".
  ask_key: ({ speech }) => [speak({ text: `You have a call. Press ${KEY} to accept.`, speech })],
  connect: () => [],
  // A document for the dialed person may contain only speech. Their leg ends by itself if no key is pressed.
  hang_up: (_, __, plan) => (plan.some(({ verb }) => verb === 'ask_key') ? [] : [element('Hangup')]),
};

export const render: TelephonyProvider['render'] = renderXmlWith(VERBS);
