import type { Occasion } from '../../contract/answer-plan.ts';
import { type Delivery, stepOf } from '../../contract/delivery.ts';
import type { ReplyContext } from '../../contract/provider.ts';
import { renderXmlWith, type Spoken, type Vocabulary } from '../../provider-parts/reply.ts';
import { textOf } from '../../provider-parts/values.ts';
import { type Element, element, escapeXml } from '../../provider-parts/xml.ts';
import { hasReached } from './facts.ts';
import { fieldsOf, SCREENED } from './fields.ts';

export const occasionOf = (delivery: Delivery): Occasion => {
  if (delivery.route === 'recording' || stepOf(delivery) === 'status') return { kind: 'nothing' };
  const fields = fieldsOf(delivery);
  switch (fields['eventType']) {
    case 'initiate':
      return { kind: 'answer' };
    case 'transferAnswer':
      return { kind: 'screen' };
    case 'gather':
      return { kind: 'screened', pressed: textOf(fields, 'digits') !== null };
    case 'transferComplete':
      return { kind: 'after_dial', reached: hasReached(delivery) };
    case 'recordComplete':
      return { kind: 'after_voicemail' };
    default:
      return { kind: 'nothing' };
  }
};

type Credentials = { username: string; password: string } | Record<string, never>;

/**
 * Returns the username and password to add to each URL in a document. The docs don't say that Bandwidth adds those of
 * the application by itself ("Transfer", "Record", "Gather"; seen November 2026). With a URL that isn't https, they
 * would make the document invalid, so they are left out.
 */
const credentialsOf = ({ verifiedWith, recordingUrl }: ReplyContext): Credentials => {
  if (verifiedWith === null || !recordingUrl.startsWith('https:')) return {};
  const colon = verifiedWith.indexOf(':');
  return { username: verifiedWith.slice(0, colon), password: verifiedWith.slice(colon + 1) };
};

const addParam = (url: string, param: string): string => `${url}${url.includes('?') ? '&' : '?'}${param}`;

/** Limit for dialed numbers. More make the document invalid (docs: "Transfer"; seen November 2026). */
const MOST_NUMBERS = 8;
const KEY_SECONDS = 8;
const AUDIO = { fileFormat: 'mp3' };

/** Makes an element that speaks a text. A blank sentence would make the document invalid, and that ends the call. */
const say = ({ text, speech }: Spoken): Element[] =>
  escapeXml(text).trim() === '' ? [] : [element('SpeakSentence', { voice: speech?.voice ?? null }, text)];

const VERBS: Vocabulary<Element> = {
  say: (verb) => say(verb),
  dial: ({ numbers, ringSeconds, screen, record, next }, context) => {
    const credentials = credentialsOf(context);
    const overUrl = screen ? addParam(context.stepUrl(next), `${SCREENED}=1`) : context.stepUrl(next);
    const leg = {
      transferAnswerUrl: screen ? context.stepUrl('screen') : null,
      transferDisconnectUrl: overUrl,
      ...credentials,
    };
    const recording = element('StartRecording', {
      recordingAvailableUrl: context.recordingUrl,
      multiChannel: 'true',
      ...AUDIO,
      ...credentials,
    });
    return [
      ...(record ? [recording] : []),
      element(
        'Transfer',
        { transferCompleteUrl: overUrl, callTimeout: ringSeconds, ...credentials },
        ...numbers.slice(0, MOST_NUMBERS).map((number) => element('PhoneNumber', leg, number)),
      ),
    ];
  },
  // Plays a key tone, because there is no beep. Ends an earlier recording, which would otherwise include the message.
  take_message: ({ mostSeconds, transcribe, next }, context) => [
    element('StopRecording'),
    element('SendDtmf', { toneDuration: 400 }, '1'),
    element('Record', {
      recordCompleteUrl: context.stepUrl(next),
      recordingAvailableUrl: addParam(context.recordingUrl, 'step=voicemail'),
      maxDuration: mostSeconds,
      ...(transcribe && {
        transcribe: 'true',
        detectLanguage: 'true',
        transcriptionAvailableUrl: context.recordingUrl,
      }),
      ...AUDIO,
      ...credentialsOf(context),
    }),
  ],
  ask_key: ({ next, ...spoken }, context) => [
    element(
      'Gather',
      {
        gatherUrl: context.stepUrl(next),
        maxDigits: 1,
        firstDigitTimeout: KEY_SECONDS,
        ...credentialsOf(context),
      },
      ...say(spoken),
    ),
  ],
  // Caller and callee are connected when the document ends, but an empty document hangs up (docs: "Hangup"; seen
  // November 2026).
  connect: () => [element('Tag', {}, 'connected')],
  hang_up: () => [element('Hangup')],
};

export const render = renderXmlWith(VERBS, 'application/xml; charset=utf-8');
