import type { AnswerSettings } from './answer-settings.ts';

/** Where a call returns to us: each reply names the next step. */
export type Step = 'status' | 'dialed' | 'voicemail' | 'screen' | 'screened';

/** What a delivery asks for. */
export type Occasion =
  | { kind: 'answer' }
  /** Forwarding is over. `reached`: a person answered. */
  | { kind: 'after_dial'; reached: boolean }
  | { kind: 'after_voicemail' }
  /** The dialed party picked up: is it a person? */
  | { kind: 'screen' }
  | { kind: 'screened'; pressed: boolean }
  /** A notice that only needs an acknowledgment. */
  | { kind: 'nothing' };

export type Verb =
  | { verb: 'say'; text: string }
  | { verb: 'dial'; numbers: readonly string[]; ringSeconds: number; screen: boolean; record: boolean; next: Step }
  | { verb: 'take_message'; mostSeconds: number; next: Step }
  | { verb: 'ask_key'; text: string; next: Step }
  | { verb: 'connect' }
  | { verb: 'hang_up' };

/** What to say and do, in order, independent of any provider. */
export type Plan = readonly Verb[];

const TEXTS = {
  unknownNumber: 'The number you have dialed is not in service. Goodbye.',
  nobodyThere: 'Sorry, no one is available to take your call right now. Please try again later. Goodbye.',
  leaveMessage: 'Sorry, no one is available to take your call right now. Please leave a message after the tone.',
  thankYou: 'Thank you. Goodbye.',
  screen: 'You have a call. Press any key to accept.',
};

const LONGEST_MESSAGE_SECONDS = 180;

const say = (text: string): Verb => ({ verb: 'say', text });
const HANG_UP: Verb = { verb: 'hang_up' };

const takeMessage = ({ voicemailPrompt }: AnswerSettings): Plan => [
  say(voicemailPrompt ?? TEXTS.leaveMessage),
  { verb: 'take_message', mostSeconds: LONGEST_MESSAGE_SECONDS, next: 'voicemail' },
];

/** Nobody is available, or nobody answered. */
const withoutPerson = (settings: AnswerSettings): Plan =>
  settings.voicemail ? takeMessage(settings) : [say(TEXTS.nobodyThere), HANG_UP];

const greet = ({ greeting }: AnswerSettings): Plan => (greeting ? [say(greeting)] : []);

/** Callers are told before recording starts. */
const warn = ({ record, notice }: AnswerSettings): Plan => (record && notice ? [say(notice)] : []);

const answer = (settings: AnswerSettings): Plan => {
  const { forwardTo, ringSeconds, screen, record } = settings;
  if (forwardTo.length === 0) return [...greet(settings), ...withoutPerson(settings)];
  return [
    ...greet(settings),
    ...warn(settings),
    { verb: 'dial', numbers: forwardTo, ringSeconds, screen, record, next: 'dialed' },
  ];
};

/** The reply to an occasion. `settings` are those that apply now; null if the number isn't ours. */
export const planReply = (occasion: Exclude<Occasion, { kind: 'nothing' }>, settings: AnswerSettings | null): Plan => {
  switch (occasion.kind) {
    case 'screen':
      return [{ verb: 'ask_key', text: TEXTS.screen, next: 'screened' }, HANG_UP];
    case 'screened':
      return occasion.pressed ? [{ verb: 'connect' }] : [HANG_UP];
    case 'after_voicemail':
      return [say(TEXTS.thankYou), HANG_UP];
  }
  if (!settings) return [say(TEXTS.unknownNumber), HANG_UP];
  switch (occasion.kind) {
    case 'answer':
      return answer(settings);
    case 'after_dial':
      return occasion.reached ? [HANG_UP] : withoutPerson(settings);
  }
};
