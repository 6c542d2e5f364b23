import { type Answer, findSpeech, type ProviderInfo, type Speech } from '../../../../telephony/index.ts';
import { LANGUAGE_NAMES } from './language-names.ts';

/** The name of a language: "es-MX" → "Spanish (Mexico)". */
export const languageName = (code: string): string => LANGUAGE_NAMES[code] ?? code;

const standardVoice = ({ name }: ProviderInfo): string => `${name}'s standard voice, in English`;

/** Describes a voice: "Mia (female), Spanish (Mexico)". */
export const speechWords = (provider: ProviderInfo, speech: Speech | null): string => {
  if (!speech) return standardVoice(provider);
  const voices = provider.languages.find(({ code }) => code === speech.language)?.voices ?? [];
  const voice = voices.find(({ id }) => id === speech.voice);
  return `${voice?.name ?? speech.voice}, ${languageName(speech.language)}`;
};

type SpeechWish = NonNullable<Answer['speech']>;

/**
 * The value of the form field for a voice: the language code and the voice, separated by a space. Neither contains a
 * space.
 */
export const toSpeechField = (wish: SpeechWish | null | undefined): string =>
  wish ? `${wish.language} ${wish.voice ?? ''}`.trim() : '';

export const fromSpeechField = (field: string): { speech?: SpeechWish } => {
  const [language, voice] = field.trim().split(' ');
  return language ? { speech: { language, ...(voice && { voice }) } } : {};
};

/** The option that is selected for a field's value. A language alone means its first voice. */
export const speechOption = ({ languages }: ProviderInfo, field: string): string =>
  toSpeechField(findSpeech(languages, fromSpeechField(field).speech));

/** All voices of the provider, grouped by language. */
export const speechOptions = (provider: ProviderInfo) => [
  { value: '', label: standardVoice(provider) },
  ...provider.languages
    .map(({ code, voices }) => {
      const group = languageName(code);
      // Each label includes the language, because a closed list doesn't show the group.
      return { group, options: voices.map(({ id, name }) => ({ value: `${code} ${id}`, label: `${group}: ${name}` })) };
    })
    .sort((left, right) => (left.group < right.group ? -1 : 1)),
];
