/**
 * waiting → ready
 *    └────→ failed (and from there to ready, if somebody makes one after all)
 * A recording has at most one transcript. The first one that is ready stays, whatever is told afterward.
 */
export type TranscriptState = 'waiting' | 'ready' | 'failed';

/** Who made a transcript: the telephony provider, or the operator's own server. */
export type TranscriptSource = 'provider' | 'own';

/** A piece of a transcript, and when it was said, in seconds from the beginning of the recording. */
export type Segment = { start: number; end: number; text: string };

/** What is sealed of a transcript. `url`: where the provider has the text, until it's fetched. */
export type TranscriptContent = { text: string; segments: readonly Segment[]; url?: string };

/** Limit for the text. It's more than two hours of talk. */
const MOST_TEXT_CHARACTERS = 150_000;
const MOST_SEGMENTS = 5_000;
const MOST_SEGMENT_CHARACTERS = 2_000;
/** Latest time that a segment may name. No recording is longer than a day. */
const LATEST_SECONDS = 86_400;

/** A language as a code, such as `en` or `pt-BR`, or as an English word. */
const LANGUAGE = /^[a-z]{2,20}(?:-[a-z0-9]{1,8}){0,3}$/i;

/** Characters that can't be seen, or that change how others are read. Some languages need the two joiners. */
const UNSEEN = /(?![\n\u200c\u200d])\p{C}/gu;

/** Cuts a text, but not in the middle of a character. */
export const cutText = (text: string, most: number): string =>
  text.length <= most ? text : text.slice(0, most).replace(/[\ud800-\udbff]$/, '');

/** Makes a text from outside safe to store and to show. Callers control what is said, and servers may answer anything. */
export const tidyText = (text: string, most = MOST_TEXT_CHARACTERS): string =>
  // A text far beyond the limit is cut first, so that the rest is never looked at.
  cutText(
    cutText(text, 4 * most)
      .replace(/\r\n?|[\u0085\u2028\u2029]/g, '\n')
      .replaceAll('\t', ' ')
      .replace(UNSEEN, '')
      .replace(/[^\S\n]+/g, ' ')
      .replace(/ ?\n\s*/g, '\n')
      .trim(),
    most,
  ).trimEnd();

export const tidyLanguage = (text: unknown): string | null =>
  typeof text === 'string' && LANGUAGE.test(text) ? text.toLowerCase() : null;

const isTime = (value: unknown): value is number => typeof value === 'number' && value >= 0 && value <= LATEST_SECONDS;

const readSegment = (value: unknown): Segment[] => {
  if (typeof value !== 'object' || value === null) return [];
  const { start, end, text } = value as Readonly<Record<string, unknown>>;
  if (!isTime(start) || !isTime(end) || end < start || typeof text !== 'string') return [];
  const tidied = tidyText(text, MOST_SEGMENT_CHARACTERS);
  return tidied === '' ? [] : [{ start, end, text: tidied }];
};

/** Reads segments that a server reports, in order. Those that make no sense are left out. */
export const readSegments = (value: unknown): Segment[] =>
  (Array.isArray(value) ? value.slice(0, MOST_SEGMENTS) : [])
    .flatMap(readSegment)
    .sort((left, right) => left.start - right.start);
