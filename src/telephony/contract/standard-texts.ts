import type { Speech } from './speech.ts';

/** What callers hear if a team hasn't written its own words. */
export const TEXTS = {
  unknownNumber: 'The number you have dialed is not in service. Goodbye.',
  nobodyThere: 'Sorry, no one is available to take your call right now. Please try again later. Goodbye.',
  leaveMessage: 'Sorry, no one is available to take your call right now. Please leave a message after the tone.',
  thankYou: 'Thank you. Goodbye.',
  screen: 'You have a call. Press any key to accept.',
  notice: 'This call may be recorded.',
} as const;

const isStandard = (text: string): boolean => Object.values<string>(TEXTS).includes(text);

/** A voice for another language would mispronounce these texts, so the provider's standard voice speaks them. */
export const speechFor = (text: string, speech: Speech | null): Speech | null =>
  isStandard(text) && !speech?.language.startsWith('en') ? null : speech;
