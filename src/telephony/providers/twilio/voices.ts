import type { SpokenLanguage } from '../../contract/speech.ts';
import { listPollyVoices } from '../../provider-parts/polly-voices.ts';

/**
 * The voices in `SayVoice` of Twilio's library, version 6.2.0. Their languages are those of Polly, which Twilio's docs
 * name, too ("Text-to-Speech", seen November 2026).
 */
export const TWILIO_VOICES: readonly SpokenLanguage[] = listPollyVoices({ hasNeural: true });
