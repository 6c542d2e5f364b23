import type { AnswerSettings } from './answer-settings.ts';
import type { Speech } from './speech.ts';
import { speechFor, TEXTS } from './standard-texts.ts';

/** Step of a call. Replies contain the URLs of later steps, and the provider requests each when its step begins. */
export type Step = 'status' | 'dialed' | 'voicemail' | 'screen' | 'screened';

/** Why the provider sent a delivery. Determines the reply. */
export type Occasion =
  | { kind: 'answer' }
  /** Forwarding is over. `reached`: a person answered. */
  | { kind: 'after_dial'; reached: boolean }
  | { kind: 'after_voicemail' }
  /** The dialed party picked up, and has to show that it's a person. */
  | { kind: 'screen' }
  | { kind: 'screened'; pressed: boolean }
  /** A notice that only needs an acknowledgment. */
  | { kind: 'nothing' };

export type Verb =
  /** `speech` is the voice, or null for the provider's standard one. */
  | { verb: 'say'; text: string; speech: Speech | null }
  | { verb: 'dial'; numbers: readonly string[]; ringSeconds: number; screen: boolean; record: boolean; next: Step }
  /** `transcribe`: the provider makes a transcript of the message, and sends it to the recording URL. */
  | { verb: 'take_message'; mostSeconds: number; transcribe: boolean; next: Step }
  | { verb: 'ask_key'; text: string; speech: Speech | null; next: Step }
  | { verb: 'connect' }
  | { verb: 'hang_up' };

/** What to say and do, in order, independent of any provider. */
export type Plan = readonly Verb[];

const LONGEST_MESSAGE_SECONDS = 180;

const HANG_UP: Verb = { verb: 'hang_up' };

const say = (text: string, settings: AnswerSettings | null): Verb => ({
  verb: 'say',
  text,
  speech: speechFor(text, settings?.speech ?? null),
});

const takeMessage = (settings: AnswerSettings): Plan => [
  say(settings.voicemailPrompt ?? TEXTS.leaveMessage, settings),
  {
    verb: 'take_message',
    mostSeconds: LONGEST_MESSAGE_SECONDS,
    transcribe: settings.transcribe === 'provider',
    next: 'voicemail',
  },
];

/** Plans what happens if nobody is available, or nobody answered. */
const withoutPerson = (settings: AnswerSettings): Plan =>
  settings.voicemail ? takeMessage(settings) : [say(TEXTS.nobodyThere, settings), HANG_UP];

const greet = (settings: AnswerSettings): Plan => (settings.greeting ? [say(settings.greeting, settings)] : []);

/** Plans the notice that callers hear before recording starts. */
const warn = (settings: AnswerSettings): Plan =>
  settings.record && settings.notice ? [say(settings.notice, settings)] : [];

const answer = (settings: AnswerSettings): Plan => {
  const { forwardTo, ringSeconds, screen, record } = settings;
  if (forwardTo.length === 0) return [...greet(settings), ...withoutPerson(settings)];
  return [
    ...greet(settings),
    ...warn(settings),
    { verb: 'dial', numbers: forwardTo, ringSeconds, screen, record, next: 'dialed' },
  ];
};

/** Plans the reply to an occasion. `settings` are those that apply now, or null if the number isn't ours. */
export const planReply = (occasion: Exclude<Occasion, { kind: 'nothing' }>, settings: AnswerSettings | null): Plan => {
  switch (occasion.kind) {
    case 'screen':
      return [
        {
          verb: 'ask_key',
          text: TEXTS.screen,
          speech: speechFor(TEXTS.screen, settings?.speech ?? null),
          next: 'screened',
        },
        HANG_UP,
      ];
    case 'screened':
      return occasion.pressed ? [{ verb: 'connect' }] : [HANG_UP];
    case 'after_voicemail':
      return [say(TEXTS.thankYou, settings), HANG_UP];
  }
  if (!settings) return [say(TEXTS.unknownNumber, null), HANG_UP];
  switch (occasion.kind) {
    case 'answer':
      return answer(settings);
    case 'after_dial':
      return occasion.reached ? [HANG_UP] : withoutPerson(settings);
  }
};
