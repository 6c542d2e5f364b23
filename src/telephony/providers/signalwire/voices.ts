import type { SpokenLanguage } from '../../contract/speech.ts';
import { listPollyVoices } from '../../provider-parts/polly-voices.ts';

/**
 * The voices in `SayVoice` and `SayLanguage` of SignalWire's library, version 3.2.0. Mandarin is left out: its language
 * code isn't Polly's, and the docs don't say whether the two go together.
 */
export const SIGNALWIRE_VOICES: readonly SpokenLanguage[] = listPollyVoices({ hasNeural: true }).filter(
  ({ code }) => code !== 'cmn-CN',
);
