import type { SpokenLanguage, Voice } from '../contract/speech.ts';
import { namedVoices, type VoiceRow } from './named-voices.ts';

/**
 * Amazon Polly's standard voices, which several providers offer as `Polly.<Name>` (AWS: "Voices in Amazon Polly", seen
 * November 2026). Children's voices are left out.
 */
const STANDARD: readonly VoiceRow[] = [
  ['arb', 'Zeina', ''],
  ['cmn-CN', 'Zhiyu', ''],
  ['cy-GB', 'Gwyneth', ''],
  ['da-DK', 'Naja', 'Mads'],
  ['de-DE', 'Vicki Marlene', 'Hans'],
  ['en-AU', 'Nicole', 'Russell'],
  ['en-GB', 'Amy Emma', 'Brian'],
  ['en-GB-WLS', '', 'Geraint'],
  ['en-IN', 'Raveena Aditi', ''],
  ['en-US', 'Joanna Kendra Kimberly Salli', 'Matthew Joey'],
  ['es-ES', 'Lucia Conchita', 'Enrique'],
  ['es-MX', 'Mia', ''],
  ['es-US', 'Penelope', 'Miguel'],
  ['fr-CA', 'Chantal', ''],
  ['fr-FR', 'Celine', 'Mathieu'],
  ['hi-IN', 'Aditi', ''],
  ['is-IS', 'Dora', 'Karl'],
  ['it-IT', 'Bianca Carla', 'Giorgio'],
  ['ja-JP', 'Mizuki', 'Takumi'],
  ['ko-KR', 'Seoyeon', ''],
  ['nb-NO', 'Liv', ''],
  ['nl-NL', 'Lotte', 'Ruben'],
  ['pl-PL', 'Ewa Maja', 'Jacek Jan'],
  ['pt-BR', 'Vitoria', 'Ricardo'],
  ['pt-PT', 'Ines', 'Cristiano'],
  ['ro-RO', 'Carmen', ''],
  ['ru-RU', 'Tatyana', 'Maxim'],
  ['sv-SE', 'Astrid', ''],
  ['tr-TR', 'Filiz', ''],
];

/** Polly's neural voices, as `Polly.<Name>-Neural`. They sound more natural and cost more. */
const NEURAL: readonly VoiceRow[] = [
  ['de-DE', 'Vicki', ''],
  ['en-AU', 'Olivia', ''],
  ['en-GB', 'Amy Emma', 'Brian'],
  ['en-NZ', 'Aria', ''],
  ['en-US', 'Joanna Kendra Kimberly Salli', 'Matthew Joey'],
  ['en-ZA', 'Ayanda', ''],
  ['es-ES', 'Lucia', ''],
  ['es-US', 'Lupe', ''],
  ['fr-CA', 'Gabrielle', ''],
  ['fr-FR', 'Lea', ''],
  ['it-IT', 'Bianca', ''],
  ['ja-JP', '', 'Takumi'],
  ['ko-KR', 'Seoyeon', ''],
  ['pt-BR', 'Camila', ''],
];

const listVoices = (code: string, hasNeural: boolean): Voice[] => [
  ...STANDARD.filter((row) => row[0] === code).flatMap((row) => namedVoices(row, (name) => `Polly.${name}`)),
  ...NEURAL.filter((row) => hasNeural && row[0] === code).flatMap((row) =>
    namedVoices(row, (name) => `Polly.${name}-Neural`, ', neural'),
  ),
];

/** Lists Polly's languages and voices, with or without the neural ones. */
export const listPollyVoices = ({ hasNeural }: { hasNeural: boolean }): SpokenLanguage[] =>
  [...new Set([...STANDARD, ...NEURAL].map(([code]) => code))]
    .map((code) => ({ code, voices: listVoices(code, hasNeural) }))
    .filter(({ voices }) => voices.length > 0);
