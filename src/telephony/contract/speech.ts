import type { Static } from 'typebox';
import { Type } from '../../platform/index.ts';

/** One of a provider's voices. `id` is what the provider calls it, and `name` is for people. */
export type Voice = { id: string; name: string };

/** A language that a provider speaks. The first voice is its standard for that language. */
export type SpokenLanguage = { code: string; voices: readonly Voice[] };

/** Who speaks a text: one of the provider's voices, in one of its languages. */
export type Speech = { language: string; voice: string };

/** The speech as an admin sets it. What is possible depends on the provider: see `findSpeechFlaw`. */
export const SpeechWish = Type.Object(
  {
    language: Type.String({ minLength: 1, maxLength: 20, description: 'Like en-GB; the provider must speak it' }),
    voice: Type.Optional(
      Type.Union([Type.String({ minLength: 1, maxLength: 60 }), Type.Null()], {
        description: "One of the provider's voices for the language, like Polly.Amy; null for its standard one",
      }),
    ),
  },
  { additionalProperties: false },
);
export type SpeechWish = Static<typeof SpeechWish>;

/** Null if nothing was chosen, or if the provider doesn't have that voice anymore. Then it uses its standard voice. */
export const findSpeech = (
  languages: readonly SpokenLanguage[],
  wish: SpeechWish | null | undefined,
): Speech | null => {
  const voices = languages.find(({ code }) => code === wish?.language)?.voices ?? [];
  const voice = wish?.voice ? voices.find(({ id }) => id === wish.voice) : voices[0];
  return wish && voice ? { language: wish.language, voice: voice.id } : null;
};

type Speaker = { name: string; languages: readonly SpokenLanguage[] };

/** What the provider can't speak, and what it can. */
export const findSpeechFlaw = (
  { name, languages }: Speaker,
  { language, voice = null }: SpeechWish,
): { field: keyof SpeechWish; message: string } | null => {
  const spoken = languages.find(({ code }) => code === language);
  if (!spoken) {
    const codes = languages.map(({ code }) => code).join(', ');
    return { field: 'language', message: `must be one that ${name} speaks: ${codes}` };
  }
  if (voice === null || spoken.voices.some(({ id }) => id === voice)) return null;
  const ids = spoken.voices.map(({ id }) => id).join(', ');
  return { field: 'voice', message: `must be one of the voices that ${name} has for ${language}: ${ids}` };
};
