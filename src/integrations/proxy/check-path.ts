import { isUtf8 } from 'node:buffer';
import { pathRefused } from '../errors.ts';

/** Not printable, a fragment, or a percent sign that encodes nothing. */
const MALFORMED = /[^\x21-\x7e]|#|%(?![0-9a-f]{2})/i;
const CONTROL_OR_BACKSLASH = /[\p{Cc}\\]/u;
/** Characters with more bytes than they need. Careless decoders read `c0 ae`, `e0 80 ae` and so on as a dot. */
const OVERLONG = /[\xc0\xc1]|\xe0[\x80-\x9f]|\xf0[\x80-\x8f]|\xf8[\x80-\x87]|\xfc[\x80-\x83]/;
/** Some servers cut a segment off here, after they have decoded it. */
const CUT_OFF = /[;?#]/;
const INVISIBLE = /[\p{Cc}\p{Default_Ignorable_Code_Point}\s]/gu;

/** In `latin1`, each character is a byte. */
const toUtf8 = (bytes: string): string => Buffer.from(bytes, 'latin1').toString('utf8');
const fromUtf8 = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

/** Undoes one level of percent-encoding, byte by byte. `%u002e` is how old servers from Microsoft write a dot. */
const decodeOnce = (bytes: string): string =>
  bytes.replace(/%u([0-9a-f]{4})|%([0-9a-f]{2})/gi, (_, unit?: string, byte?: string) => {
    const decoded = String.fromCharCode(Number.parseInt(unit ?? byte ?? '', 16));
    return unit === undefined ? decoded : fromUtf8(decoded);
  });

const isDotSegment = (segment: string): boolean =>
  /^\.{1,2}$/.test((segment.split(CUT_OFF)[0] ?? '').replace(INVISIBLE, ''));

/** Also in characters that some servers turn into dots or slashes. */
const hasDotSegment = (text: string): boolean => text.normalize('NFKC').split(/[/\\]/).some(isDotSegment);

/** What is left if a server knows seven bits of each byte only. */
const toSevenBits = (bytes: string): string =>
  bytes.replace(/[\x80-\xff]/g, (byte) => String.fromCharCode(byte.charCodeAt(0) & 0x7f));

/** Most paths encode nothing, so this is all they need. */
const isPlain = (path: string): boolean => /^(?!\/)[a-z0-9_/-]*$/i.test(path);

const leadsAway = (bytes: string): boolean => {
  const text = toUtf8(bytes);
  if (CONTROL_OR_BACKSLASH.test(text) || text.startsWith('/') || OVERLONG.test(bytes)) return true;
  return hasDotSegment(text) || (!isUtf8(Buffer.from(bytes, 'latin1')) && hasDotSegment(toSevenBits(bytes)));
};

/**
 * The path behind `/proxy/` is appended to the API's address byte for byte. So it must not lead out of it, however the
 * provider reads it: as it is, decoded, or decoded twice. An encoded slash alone is fine. What it encodes is UTF-8, but
 * decoded twice it may be anything: `20%25Deal` is an honest name.
 */
export const checkPath = (path: string): void => {
  if (isPlain(path)) return;
  if (MALFORMED.test(path)) throw pathRefused();
  const once = decodeOnce(path);
  if (!isUtf8(Buffer.from(once, 'latin1'))) throw pathRefused();
  if ([path, once, decodeOnce(once)].some(leadsAway)) throw pathRefused();
};
