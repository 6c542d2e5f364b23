import type { Static } from 'typebox';
import { Type } from '../../platform/index.ts';

/** One of a provider's voices. `id` is what the provider calls it, and `name` is for people. */
export type Voice = { id: string; name: string };

/** A language that a provider speaks. The first voice is the standard one for that language. */
export type SpokenLanguage = { code: string; voices: readonly Voice[] };

/** The voice that speaks a text, and its language. */
export type Speech = { language: string; voice: string };

/** The voice as an admin sets it. Which voices are possible depends on the provider: see `findSpeechFlaw`. */
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

/**
 * Finds the chosen voice. Returns null if none was chosen, or the provider no longer has it. The provider then uses its
 * standard voice.
 */
export const findSpeech = (
  languages: readonly SpokenLanguage[],
  wish: SpeechWish | null | undefined,
): Speech | null => {
  const voices = languages.find(({ code }) => code === wish?.language)?.voices ?? [];
  const voice = wish?.voice ? voices.find(({ id }) => id === wish.voice) : voices[0];
  return wish && voice ? { language: wish.language, voice: voice.id } : null;
};

type Speaker = { name: string; languages: readonly SpokenLanguage[] };

/** Explains why the provider can't speak with this voice or language, and which it has. Returns null if it can. */
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
