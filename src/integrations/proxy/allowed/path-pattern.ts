import { isAllowedPath } from '../check-path.ts';

/**
 * What a provider might read as another path than the one that was compared: an encoded slash, backslash, semicolon,
 * question mark, or number sign, a character that needs no encoding, double encoding, and an empty segment.
 */
const AMBIGUOUS = /[;?]|\/\/|%(?:2f|5c|3b|3f|23|25[0-9a-f]{2}|2[de]|3[0-9]|4[1-9a-f]|5[0-9a]|5f|6[1-9a-f]|7[0-9a]|7e)/i;
const SPECIAL = /[/\\;?#%.]/g;

const countSpecial = (text: string): number => text.match(SPECIAL)?.length ?? 0;

/** Whether some servers turn characters such as a fullwidth slash into others that separate or cut off segments. */
const turnsIntoOther = (path: string): boolean => {
  const text = decodeURIComponent(path);
  return countSpecial(text.normalize('NFKC')) !== countSpecial(text);
};

const isPlain = (path: string): boolean => /^[\w./~-]*$/.test(path);

/**
 * Whether every provider reads the path as it's written. The path begins with a slash, and `checkPath` has accepted it.
 */
export const isUnambiguous = (path: string): boolean =>
  !AMBIGUOUS.test(path) && (isPlain(path) || !turnsIntoOther(path));

/** The segments of a pattern. `*` stands for one whole segment, and `**` at the end for one or more. */
export type PathPattern = readonly string[];

/** Parses a pattern such as `/users/*`. Null if it isn't one. */
export const parsePattern = (text: string): PathPattern | null => {
  if (!text.startsWith('/')) return null;
  const segments = text.slice(1).split('/');
  const isWild = (segment: string, at: number): boolean =>
    segment === '*' || (segment === '**' && at === segments.length - 1);
  // What is left has to be a path as a request may have it.
  const plain = segments.map((segment, at) => (isWild(segment, at) ? '_' : segment));
  const path = plain.join('/');
  if (plain.some((segment) => segment.includes('*')) || !isAllowedPath(path) || !isUnambiguous(`/${path}`)) return null;
  return segments;
};

/** The segments of a path that begins with a slash. */
export const toSegments = (path: string): string[] => path.slice(1).split('/');

/** Whether a path matches a pattern, byte for byte. `isUnambiguous` has accepted the path. */
export const matchesPattern = (segments: readonly string[], pattern: PathPattern): boolean => {
  const hasRest = pattern.at(-1) === '**';
  const fixed = hasRest ? pattern.slice(0, -1) : pattern;
  if (hasRest ? segments.length <= fixed.length || segments[fixed.length] === '' : segments.length !== fixed.length)
    return false;
  return fixed.every((wanted, at) => (wanted === '*' ? segments[at] !== '' : wanted === segments[at]));
};
