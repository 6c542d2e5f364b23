import type { SpokenLanguage } from '../../contract/speech.ts';
import { listPollyVoices } from '../../provider-parts/polly-voices.ts';

/** As in the `SayVoice` of its library, version 6.2.0, and with Polly's languages, which its docs also name ("Text-to-Speech", seen November 2026). */
export const TWILIO_VOICES: readonly SpokenLanguage[] = listPollyVoices({ hasNeural: true });
