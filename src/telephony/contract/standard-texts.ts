import type { Speech } from './speech.ts';

/** Texts that callers hear if a team hasn't written its own. */
export const TEXTS = {
  unknownNumber: 'The number you have dialed is not in service. Goodbye.',
  nobodyThere: 'Sorry, no one is available to take your call right now. Please try again later. Goodbye.',
  leaveMessage: 'Sorry, no one is available to take your call right now. Please leave a message after the tone.',
  thankYou: 'Thank you. Goodbye.',
  screen: 'You have a call. Press any key to accept.',
  notice: 'This call may be recorded.',
} as const;

const isStandard = (text: string): boolean => Object.values<string>(TEXTS).includes(text);

/**
 * Chooses the voice for a text. The standard texts are English, so a voice for another language would mispronounce
 * them. The provider's standard voice speaks them instead.
 */
export const speechFor = (text: string, speech: Speech | null): Speech | null =>
  isStandard(text) && !speech?.language.startsWith('en') ? null : speech;
