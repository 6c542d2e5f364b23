import type { SpokenLanguage } from '../../contract/speech.ts';
import { listPollyVoices } from '../../provider-parts/polly-voices.ts';

/** Those that its library for PHP accepts, which has no neural ones (seen November 2026). */
export const PLIVO_VOICES: readonly SpokenLanguage[] = listPollyVoices({ hasNeural: false });
