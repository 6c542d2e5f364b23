import type { FullRecord } from '../../../src/integrations/catalogue/provider.ts';
import type { Values } from './simulated-provider.ts';

const PLACEHOLDER = /\{\+?([a-zA-Z][a-zA-Z0-9_]*)\}/g;

export const placeholdersIn = (text: string): string[] => [...text.matchAll(PLACEHOLDER)].map(([, name = '']) => name);

export const fill = (text: string, values: Values): string =>
  text.replaceAll(PLACEHOLDER, (_, name: string) => values[name] ?? '');

/** As a caller of the proxy writes it. */
export const fillPath = (path: string, values: Values): string =>
  path.replaceAll(PLACEHOLDER, (_, name: string) => encodeURIComponent(values[name] ?? ''));

/** Filled in, without what ends up empty. */
export const fillAll = (texts: Values | undefined, values: Values): Record<string, string> =>
  Object.fromEntries(
    Object.entries(texts ?? {})
      .map(([name, text]) => [name, fill(text, values)])
      .filter(([, value]) => value !== ''),
  );

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** One spelling for equal addresses; the query separately. */
const normalize = (address: string): string => {
  const url = URL.parse(address);
  return url ? `${url.origin}${decode(url.pathname)}${decode(url.hash)}` : address;
};

export type Address = { text: string; query: [string, string][] };

/** The query after the first "?", even if that comes after a "#". */
export const splitAddress = (text: string): Address => {
  const cut = text.indexOf('?');
  const [address, query] = cut === -1 ? [text, ''] : [text.slice(0, cut), text.slice(cut + 1)];
  return { text: normalize(address), query: [...new URLSearchParams(query)] };
};

/** Values are encoded in path and query; in the host, and if one is the whole address, they are used as is. */
export const fillAddress = (template: string, values: Values): Address => {
  const [path = '', ...query] = template.split('?');
  const text = path.replaceAll(PLACEHOLDER, (_, name: string, at: number) => {
    const value = values[name] ?? '';
    return /^(?:https?:\/\/)?[^/]*$/.test(path.slice(0, at)) ? value : encodeURIComponent(value);
  });
  const asked = [...new URLSearchParams(query.join('?'))];
  return {
    text: normalize(text),
    // What is empty in the entry stays, such as `?refresh`.
    query: asked
      .map(([name, value]): [string, string, string] => [name, value, fill(value, values)])
      .filter(([, value, filled]) => value === '' || filled !== '')
      .map(([name, , filled]) => [name, filled]),
  };
};

const quote = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

export const anchored = (pattern: string): RegExp =>
  new RegExp(`^(?:${pattern.replace(/^\^/, '').replace(/\$$/, '')})$`);

const sourceFor = ({ params }: FullRecord, name: string, leads: boolean): string => {
  const pattern = params?.[name]?.pattern;
  if (pattern) return anchored(pattern).source.slice(1, -1);
  if (leads) return 'https?:\\/\\/[^?#]+';
  // Decoded, a token may hold a slash.
  return name.endsWith('token') ? '[^?#]+' : '[^/?#]+';
};

/** What an address of this entry looks like, with a group for each placeholder. */
export const addressPattern = (record: FullRecord, template: string): RegExp => {
  const seen = new Set<string>();
  const [path = ''] = template.split('?');
  let source = '';
  let from = 0;
  for (const match of path.matchAll(PLACEHOLDER)) {
    const name = match[1] ?? '';
    source += quote(path.slice(from, match.index));
    source += seen.has(name) ? `\\k<${name}>` : `(?<${name}>${sourceFor(record, name, match.index === 0)})`;
    seen.add(name);
    from = match.index + match[0].length;
  }
  // A host alone has a path once it is parsed.
  return new RegExp(`^${source}${quote(path.slice(from))}\\/?$`, 'i');
};
