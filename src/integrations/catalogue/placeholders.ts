import { takeRandomBytes } from '../../platform/index.ts';

/** The values for {placeholders}. */
export type Values = Readonly<Record<string, string>>;

/** With a plus, it stands for a host with a port and a path. */
const PLACEHOLDER = /\{\+?([a-z][a-zA-Z0-9_]*)\}/g;
const HOST_PART = /^[a-z0-9._-]*$/i;

const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const SEGMENT = '[A-Za-z0-9_~-]+(?:\\.[A-Za-z0-9_~-]+)*';
const BASE = new RegExp(`^(?:${LABEL}\\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?(?::[1-9]\\d{0,4})?(?:/${SEGMENT})*$`);

/**
 * Whether it's `host[:port][/path]` and nothing else: a name with at least two labels and no address, in lower case, without
 * the standard port, and a path without dot segments, encoded characters or a slash at the end. A parser reads it as
 * it is written.
 */
export const isBase = (value: string): boolean => {
  if (!BASE.test(value)) return false;
  const url = URL.parse(`https://${value}`);
  return url !== null && `${url.host}${url.pathname.replace(/^\/$/, '')}` === value;
};

/** A value that a URL or a param needs is missing, or can't be used there. */
export class ValueMissing extends Error {
  override readonly name = 'ValueMissing';
  readonly placeholder: string;

  constructor(placeholder: string) {
    super(`There is no usable value for "${placeholder}".`);
    this.placeholder = placeholder;
  }
}

export const placeholdersIn = (text: string): string[] => [...text.matchAll(PLACEHOLDER)].map(([, name = '']) => name);

/** The part of an address that says where a request goes: up to the host, or the placeholder that stands for it. */
export const hostPartOf = (address: string): string =>
  /^(?:https?:\/\/[^/?#]*|\{[^}]*\})/.exec(address)?.[0] ?? address;

const lookUp = (values: Values, name: string): string => {
  const value = Object.hasOwn(values, name) ? values[name] : undefined;
  if (value === undefined) throw new ValueMissing(name);
  return value;
};

export const expandText = (text: string, values: Values): string =>
  text.replace(PLACEHOLDER, (_, name: string) => lookUp(values, name));

/** What `{random}` stands for in one request. */
export const makeRandom = (): string => takeRandomBytes(16).toString('hex');

/** An entry's defaults may be built from other values. */
export const withDefaults = (values: Values, defaults: Values = {}): Values => ({
  ...Object.fromEntries(
    Object.entries(defaults)
      .filter(([, text]) => placeholdersIn(text).every((name) => Object.hasOwn(values, name)))
      .map(([name, text]) => [name, expandText(text, values)]),
  ),
  ...values,
});

const asBase = (value: string, name: string): string => {
  const url = URL.parse(value);
  if (!url || !/^https?:$/.test(url.protocol) || /[?#]/.test(value) || url.username || url.password)
    throw new ValueMissing(name);
  return url.href.replace(/\/+$/, '');
};

/**
 * A URL whose placeholders can't redirect it. One at the start must be a URL itself, one in the host may contain only
 * what a host may, or a port and a path if it has a plus, and every other is encoded.
 */
export const expandAddress = (text: string, values: Values): URL => {
  const pathAt = text.startsWith('{') ? 0 : text.indexOf('/', text.indexOf('//') + 2);
  const [first = ''] = placeholdersIn(text);
  const expanded = text.replace(PLACEHOLDER, (written, name: string, at: number) => {
    const value = lookUp(values, name);
    if (written.startsWith('{+')) {
      if (!isBase(value)) throw new ValueMissing(name);
      return value;
    }
    if (at === 0) return asBase(value, name);
    if (pathAt === -1 || at < pathAt) {
      if (!HOST_PART.test(value)) throw new ValueMissing(name);
      return value;
    }
    // One or two dots would be read as a path segment, however they're encoded.
    if (value === '.' || value === '..' || !value.isWellFormed()) throw new ValueMissing(name);
    return encodeURIComponent(value);
  });
  // Without a host, the parser would take the first part of the path as one.
  const url = /^https?:\/\/\//.test(expanded) ? null : URL.parse(expanded);
  if (!url) throw new ValueMissing(first);
  return url;
};
