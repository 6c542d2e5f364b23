import type { HeaderList } from '../../platform/index.ts';
import { withoutFields } from './proxy-target.ts';

/** Headers that consist of URLs. Such a header can be returned without the query field that carries the credential. */
const WITH_URLS = /^(?:location|link|content-location)$/i;

/**
 * How many levels of percent-encoding are decoded. A text with more levels is treated as if it contained the secret.
 */
const MOST_LEVELS = 5;

/** Shorter pieces of Base64 occur in many texts by chance. */
const LEAST_BASE64 = 8;

/**
 * The text in Base64, at each of the three possible offsets, without the characters that depend on neighboring bytes.
 */
const toBase64 = (text: string): string[] =>
  [0, 1, 2].map((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(text)]);
    const whole = Math.floor((bytes.length * 8) / 6);
    return bytes.toString('base64').slice(Math.ceil((before * 8) / 6), whole);
  });

const toBase64Url = (text: string): string => text.replaceAll('+', '-').replaceAll('/', '_');

const decodeOnce = (text: string): string =>
  text.replace(/(?:%[0-9a-f]{2})+/gi, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString('utf8'));

/** Creates a search for a secret in texts: as it is, percent-encoded several times, or in Base64. */
const createSearch = (secret: string): ((text: string) => boolean) => {
  const plain = [secret, secret.replaceAll(' ', '+')].map((form) => form.toLowerCase());
  const encoded = [secret, encodeURIComponent(secret)]
    .flatMap(toBase64)
    .flatMap((form) => [form, toBase64Url(form)])
    .filter(({ length }) => length >= LEAST_BASE64);
  const isIn = (text: string): boolean => {
    const lower = text.toLowerCase();
    return plain.some((form) => lower.includes(form)) || encoded.some((form) => text.includes(form));
  };
  return (text) => {
    let left = text;
    for (let level = 0; level <= MOST_LEVELS; level++) {
      if (isIn(left)) return true;
      const decoded = decodeOnce(left);
      if (decoded === left) return false;
      left = decoded;
    }
    return true;
  };
};

/** Removes this field from the queries of all URLs in a header. */
const withoutField = (text: string, field: string): string =>
  text.replace(/\?([^#>\s]*)/g, (_, query: string) => {
    const rest = withoutFields(query, [field]);
    return rest === '' ? '' : `?${rest}`;
  });

/**
 * Removes the credential from headers. Redirects and links often repeat the request's URL, so the query field with the
 * credential is removed from URLs. A header that still contains the credential isn't returned.
 */
export const hideCredential = (
  headers: HeaderList,
  { name: field, value: secret }: { name: string; value: string },
) => {
  if (secret === '') return headers;
  const isIn = createSearch(secret);
  return headers.flatMap(([name, value]): HeaderList => {
    if (!isIn(value)) return [[name, value]];
    const rest = WITH_URLS.test(name) ? withoutField(value, field) : value;
    return isIn(rest) ? [] : [[name, rest]];
  });
};
