import type { Voice } from '../contract/speech.ts';

/** A language, with the names of its female and male voices, separated by spaces. */
export type VoiceRow = readonly [code: string, female: string, male: string];

export const namedVoices = ([, female, male]: VoiceRow, toId: (name: string) => string, about = ''): Voice[] => {
  const list = (names: string, gender: string): Voice[] =>
    names
      .split(' ')
      .filter(Boolean)
      .map((name) => ({ id: toId(name), name: `${name} (${gender}${about})` }));
  return [...list(female, 'female'), ...list(male, 'male')];
};
