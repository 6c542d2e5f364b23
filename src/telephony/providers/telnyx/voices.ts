import type { SpokenLanguage } from '../../contract/speech.ts';
import { listPollyVoices } from '../../provider-parts/polly-voices.ts';

/**
 * Voices named "Polly.VoiceId" and "Polly.VoiceId-Neural" (docs: "Say"; seen November 2026). The voice determines the
 * language.
 */
export const TELNYX_VOICES: readonly SpokenLanguage[] = listPollyVoices({ hasNeural: true });
