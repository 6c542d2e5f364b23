import { isUtf8 } from 'node:buffer';
import { pathRefused } from './errors.ts';

/** Matches a character that isn't printable, a fragment, or a percent sign without two hex digits. */
const MALFORMED = /[^\x21-\x7e]|#|%(?![0-9a-f]{2})/i;
const CONTROL_OR_BACKSLASH = /[\p{Cc}\\]/u;
/** Matches characters encoded with more bytes than necessary. Careless decoders read `c0 ae` or `e0 80 ae` as a dot. */
const OVERLONG = /[\xc0\xc1]|\xe0[\x80-\x9f]|\xf0[\x80-\x8f]|\xf8[\x80-\x87]|\xfc[\x80-\x83]/;
/** Matches characters at which some servers cut a segment off, after they have decoded it. */
const CUT_OFF = /[;?#]/;
const INVISIBLE = /[\p{Cc}\p{Default_Ignorable_Code_Point}\s]/gu;

/** In `latin1`, each character stands for one byte. */
const toUtf8 = (bytes: string): string => Buffer.from(bytes, 'latin1').toString('utf8');
const fromUtf8 = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

/** Undoes one level of percent-encoding, byte by byte. Some old Microsoft servers also accept `%u002e` for a dot. */
const decodeOnce = (bytes: string): string =>
  bytes.replace(/%u([0-9a-f]{4})|%([0-9a-f]{2})/gi, (_, unit?: string, byte?: string) => {
    const decoded = String.fromCharCode(Number.parseInt(unit ?? byte ?? '', 16));
    return unit === undefined ? decoded : fromUtf8(decoded);
  });

const isDotSegment = (segment: string): boolean =>
  /^\.{1,2}$/.test((segment.split(CUT_OFF)[0] ?? '').replace(INVISIBLE, ''));

/** Whether a path has a segment of one or two dots. Includes characters that some servers turn into dots or slashes. */
const hasDotSegment = (text: string): boolean => text.normalize('NFKC').split(/[/\\]/).some(isDotSegment);

/** The text that a server reads if it ignores the highest bit of each byte. */
const toSevenBits = (bytes: string): string =>
  bytes.replace(/[\x80-\xff]/g, (byte) => String.fromCharCode(byte.charCodeAt(0) & 0x7f));

/** Whether a path has only harmless characters, as most paths do. Such a path needs no other check. */
const isPlain = (path: string): boolean => /^(?!\/)[a-z0-9_/-]*$/i.test(path);

const leadsAway = (bytes: string): boolean => {
  const text = toUtf8(bytes);
  if (CONTROL_OR_BACKSLASH.test(text) || text.startsWith('/') || OVERLONG.test(bytes)) return true;
  return hasDotSegment(text) || (!isUtf8(Buffer.from(bytes, 'latin1')) && hasDotSegment(toSevenBits(bytes)));
};

/**
 * Refuses a path that could lead out of the API. The path is appended to the API's URL byte for byte, so it's checked
 * in every way that a provider may read it: as it is, decoded once, and decoded twice. An encoded slash alone is
 * allowed. Decoded once, the path must be UTF-8. Decoded twice, it needn't be: the legitimate name `20%25Deal` then
 * contains the single byte DE.
 */
export const checkPath = (path: string): void => {
  if (isPlain(path)) return;
  if (MALFORMED.test(path)) throw pathRefused();
  const once = decodeOnce(path);
  if (!isUtf8(Buffer.from(once, 'latin1'))) throw pathRefused();
  if ([path, once, decodeOnce(once)].some(leadsAway)) throw pathRefused();
};

export const isAllowedPath = (path: string): boolean => {
  try {
    checkPath(path);
    return true;
  } catch {
    return false;
  }
};
