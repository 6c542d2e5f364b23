import type { SpokenLanguage } from '../../contract/speech.ts';
import { listPollyVoices } from '../../provider-parts/polly-voices.ts';

/**
 * As in the `SayVoice` and `SayLanguage` of its library, version 3.2.0. Mandarin is left out: its name for the language
 * isn't Polly's, and the docs don't say whether they go together.
 */
export const SIGNALWIRE_VOICES: readonly SpokenLanguage[] = listPollyVoices({ hasNeural: true }).filter(
  ({ code }) => code !== 'cmn-CN',
);
