import { readSegments, type TranscriptContent, tidyLanguage, tidyText } from '../transcripts/transcript.ts';
import { NO_WORDS, NOT_A_TRANSCRIPT, type TranscriptionFailure } from './transcription-failure.ts';

export type Transcription = { content: TranscriptContent; language: string | null };

const parse = (body: Buffer): unknown => {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return null;
  }
};

/**
 * Reads the response of a transcription server. Only its text, its language, and its segments are used, and nothing else
 * that it says is ever shown. Some servers give no segments.
 */
export const readTranscription = (body: Buffer): Transcription | TranscriptionFailure => {
  const answer = parse(body);
  if (typeof answer !== 'object' || answer === null || !('text' in answer)) return NOT_A_TRANSCRIPT;
  const { text, language, segments } = answer as Readonly<Record<string, unknown>>;
  if (typeof text !== 'string') return NOT_A_TRANSCRIPT;
  const tidied = tidyText(text);
  if (tidied === '') return NO_WORDS;
  return { content: { text: tidied, segments: readSegments(segments) }, language: tidyLanguage(language) };
};
