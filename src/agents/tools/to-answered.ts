import type { Static } from 'typebox';
import type { ProvidersAnswer } from './schemas.ts';

type Answer = {
  status: number;
  headers: Readonly<Record<string, string | readonly string[]>>;
  body: Buffer;
  isCut: boolean;
};

/** How much of a body an agent gets. More would push everything else out of its context. */
export const MOST_BYTES = 64 * 1024;

const TEXT =
  /^(?:text\/|application\/(?:[\w.-]+\+)?(?:json|xml|x-ndjson|javascript|x-www-form-urlencoded|yaml|graphql)\b)/i;
const JSON_TYPE = /^[\w.-]+\/(?:[\w.-]+\+)?json\b/i;
const CHARSET = /;\s*charset\s*=\s*"?([\w.:-]+)/i;

const decoderOf = (type: string) => {
  try {
    return new TextDecoder(CHARSET.exec(type)?.[1] ?? 'utf-8');
  } catch {
    return new TextDecoder();
  }
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

const first = (value: string | readonly string[] | undefined): string | null =>
  typeof value === 'string' ? value : (value?.[0] ?? null);

/** Reads a body as text, if it's text. A character that was cut in two is left out. */
const readBody = (body: Buffer, type: string | null, isCut: boolean): unknown => {
  if (body.length === 0 || (type !== null && !TEXT.test(type))) return null;
  const text = decoderOf(type ?? '').decode(body, { stream: isCut });
  return !isCut && (type === null || JSON_TYPE.test(type)) ? parse(text) : text;
};

/** Shortens links that lead back to the proxy, so that their paths can be called as they are. */
const readLinks = (headers: Answer['headers'], proxy: string): Record<string, string> =>
  Object.fromEntries(
    ['link', 'location'].flatMap((name) => {
      const value = first(headers[name]);
      return value === null ? [] : [[name, value.replaceAll(proxy, '')]];
    }),
  );

/** A provider's response for an agent. `proxy` is the address of the proxy for this provider. */
export const toAnswered = (
  { status, headers, body: whole, isCut }: Answer,
  proxy: string,
): Static<typeof ProvidersAnswer> => {
  const body = whole.subarray(0, MOST_BYTES);
  const cut = isCut || whole.length > MOST_BYTES;
  const contentType = first(headers['content-type']);
  return {
    ...{ status, contentType, links: readLinks(headers, proxy), retryAfter: first(headers['retry-after']) },
    ...{ body: readBody(body, contentType, cut), bytes: body.length, cut },
  };
};
