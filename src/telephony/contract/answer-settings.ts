import type { Static } from 'typebox';
import { Type } from '../../platform/index.ts';
import { BusinessHours, isWithinHours } from '../../teams/index.ts';
import { findSpeech, type Speech, SpeechWish, type SpokenLanguage } from './speech.ts';
import { TEXTS } from './standard-texts.ts';

const strict = { additionalProperties: false };
const Spoken = Type.Union([Type.String({ minLength: 1, maxLength: 1_000 }), Type.Null()]);
const PhoneNumber = Type.String({
  pattern: '^\\+[1-9]\\d{6,14}$',
  description: 'A phone number with a country code, like +15551230001',
});

const fields = {
  greeting: Type.Optional(Spoken),
  forwardTo: Type.Optional(Type.Array(PhoneNumber, { maxItems: 10 })),
  ringSeconds: Type.Optional(Type.Integer({ minimum: 5, maximum: 120 })),
  screen: Type.Optional(Type.Boolean({ description: 'Require a key press to accept the call' })),
  voicemail: Type.Optional(Type.Boolean()),
  voicemailPrompt: Type.Optional(Spoken),
  record: Type.Optional(Type.Boolean()),
  notice: Type.Optional(Spoken),
};

/**
 * Who turns the recordings of a number into text: nobody, the telephony provider, or the operator's own server. The audio
 * leaves Patchbay only for `own`.
 */
const TRANSCRIBE = ['off', 'provider', 'own'] as const;
export type Transcribe = (typeof TRANSCRIBE)[number];

export const isTranscribe = (text: string): text is Transcribe => TRANSCRIBE.some((known) => known === text);

/** How a number is answered, as an admin sets it. */
export const Answer = Type.Object(
  {
    ...fields,
    speech: Type.Optional(
      Type.Union([SpeechWish, Type.Null()], { description: "Who speaks; null for the provider's standard voice" }),
    ),
    hours: Type.Optional(
      Type.Union([
        Type.Object(
          {
            open: Type.Union([BusinessHours, Type.Null()], { description: "null for the team's business hours" }),
            outside: Type.Object(fields, strict),
          },
          strict,
        ),
        Type.Null(),
      ]),
    ),
    transcribe: Type.Optional(
      Type.Enum(TRANSCRIBE, {
        description:
          'Who turns recordings into text: nobody, the telephony provider (voicemails only), or the server of `TRANSCRIBE_URL`, which gets the audio',
      }),
    ),
  },
  { ...strict, title: 'Answer' },
);
export type Answer = Static<typeof Answer>;

/** How a number is answered at one moment, fully resolved. */
export type AnswerSettings = Required<Omit<Answer, 'hours' | 'speech'>> & { speech: Speech | null };

/** Default settings. Recording without notice is illegal in many countries, so there is always a notice. */
const STANDARD: AnswerSettings = {
  greeting: null,
  forwardTo: [],
  ringSeconds: 20,
  screen: false,
  voicemail: true,
  voicemailPrompt: null,
  record: false,
  notice: TEXTS.notice,
  speech: null,
  transcribe: 'off',
};

/** Whether the number is open, by its own hours or else the team's. Without either, it is always open. */
export const isOpenAt = (
  { open }: NonNullable<Answer['hours']>,
  { businessHours, timeZone }: { businessHours: BusinessHours | null; timeZone: string },
  now: number,
): boolean => isWithinHours(open ?? businessHours, timeZone, now);

/**
 * Resolves the settings of a number. If it isn't open, those in `hours.outside` replace others. `languages` are those
 * of its provider.
 */
export const settingsWhen = (
  { hours, speech, ...always }: Answer,
  open: boolean,
  languages: readonly SpokenLanguage[],
): AnswerSettings => {
  const settings = { ...STANDARD, ...always, ...(open ? {} : hours?.outside) };
  return { ...settings, notice: settings.notice ?? STANDARD.notice, speech: findSpeech(languages, speech) };
};
