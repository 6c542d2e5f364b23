import { pathRefused } from '../errors.ts';

const NOT_PRINTABLE_OR_FRAGMENT = /[^\x21-\x7e]|#/;
const CONTROL_OR_BACKSLASH = /[\p{Cc}\\]/u;
/** Bytes that no UTF-8 text contains. Careless decoders read `%c0%ae` as a dot. */
const OVERLONG = /%c[01]/i;

/** Undoes one level of percent-encoding. What isn't encoded stays as it is. */
const decodeOnce = (text: string): string =>
  text.replace(/(?:%[0-9a-f]{2})+/gi, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString('utf8'));

/** One or two dots, also before a `;`, which some servers cut off, or in characters that others turn into dots. */
const isDotSegment = (segment: string): boolean =>
  /^\.{1,2}$/.test((segment.normalize('NFKC').split(';')[0] ?? '').trim());

const leadsAway = (path: string): boolean =>
  CONTROL_OR_BACKSLASH.test(path) || OVERLONG.test(path) || path.startsWith('/') || path.split('/').some(isDotSegment);

/**
 * The path behind `/proxy/` is appended to the API's address byte for byte. So it must not lead out of it, however the
 * provider reads it: as it is, decoded, or decoded twice. An encoded slash alone is fine.
 */
export const checkPath = (path: string): void => {
  const once = decodeOnce(path);
  if (NOT_PRINTABLE_OR_FRAGMENT.test(path) || [path, once, decodeOnce(once)].some(leadsAway)) throw pathRefused();
};
