import type { SpokenLanguage } from '../../contract/speech.ts';
import { namedVoices, type VoiceRow } from '../../provider-parts/named-voices.ts';

/** The voices whose language the docs name ("Speak Sentence": Supported Voices; seen November 2026). */
const ROWS: readonly VoiceRow[] = [
  ['de-DE', 'Katrin', 'Stefan'],
  ['en-GB', 'Bridget', 'Simon'],
  ['en-US', 'Julie Kate Susan', 'Dave Paul'],
  ['es-ES', 'Esperanza Violeta', 'Jorge'],
  ['es-MX', 'Rosa', ''],
  ['fr-FR', 'Jolie', 'Bernard'],
  ['it-IT', 'Paola', 'Luca'],
  ['ja-JP', 'Masako', 'Kenji'],
  ['ru-RU', 'Nadiya', 'Anatoli'],
];

export const BANDWIDTH_VOICES: readonly SpokenLanguage[] = ROWS.map((row) => ({
  code: row[0],
  voices: namedVoices(row, (name) => name.toLowerCase()),
}));
