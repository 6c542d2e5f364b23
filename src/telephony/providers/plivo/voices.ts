import type { SpokenLanguage } from '../../contract/speech.ts';
import { listPollyVoices } from '../../provider-parts/polly-voices.ts';

/** Voices that Plivo's library for PHP accepts. It has no neural ones (seen November 2026). */
export const PLIVO_VOICES: readonly SpokenLanguage[] = listPollyVoices({ hasNeural: false });
