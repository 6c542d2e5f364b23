import { takeRandomBytes } from '../../platform/index.ts';

/** The values for {placeholders}. */
export type Values = Readonly<Record<string, string>>;

/** A placeholder. With a plus, it stands for a host, optionally with a port and a path. */
const PLACEHOLDER = /\{\+?([a-z][a-zA-Z0-9_]*)\}/g;
const HOST_PART = /^[a-z0-9._-]*$/i;

const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const SEGMENT = '[A-Za-z0-9_~-]+(?:\\.[A-Za-z0-9_~-]+)*';
const BASE = new RegExp(`^(?:${LABEL}\\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?(?::[1-9]\\d{0,4})?(?:/${SEGMENT})*$`);

/**
 * Whether a value is `host[:port][/path]` and nothing else. The host is a name in lower case with at least two labels,
 * not an IP address. The port isn't the default port. The path has no dot segments, no encoded characters, and no slash
 * at the end. A URL parser leaves such a value unchanged.
 */
export const isBase = (value: string): boolean => {
  if (!BASE.test(value)) return false;
  const url = URL.parse(`https://${value}`);
  return url !== null && `${url.host}${url.pathname.replace(/^\/$/, '')}` === value;
};

/** Thrown if a value that a URL or a param needs is missing, or can't be used there. */
export class ValueMissing extends Error {
  override readonly name = 'ValueMissing';
  readonly placeholder: string;

  constructor(placeholder: string) {
    super(`There is no usable value for "${placeholder}".`);
    this.placeholder = placeholder;
  }
}

export const placeholdersIn = (text: string): string[] => [...text.matchAll(PLACEHOLDER)].map(([, name = '']) => name);

/** The part of a URL that decides where a request goes: everything up to the host, or a placeholder at the start. */
export const hostPartOf = (address: string): string =>
  /^(?:https?:\/\/[^/?#]*|\{[^}]*\})/.exec(address)?.[0] ?? address;

const lookUp = (values: Values, name: string): string => {
  const value = Object.hasOwn(values, name) ? values[name] : undefined;
  if (value === undefined) throw new ValueMissing(name);
  return value;
};

export const expandText = (text: string, values: Values): string =>
  text.replace(PLACEHOLDER, (_, name: string) => lookUp(values, name));

/** Makes the value of `{random}` for one request. */
export const makeRandom = (): string => takeRandomBytes(16).toString('hex');

type WithDefaults = {
  params?: Readonly<Record<string, { default?: string }>> | undefined;
  defaults?: Values | undefined;
};

const withParams = (values: Values, { params = {} }: WithDefaults): Values => ({
  ...Object.fromEntries(
    Object.entries(params).flatMap(([name, { default: standard }]) =>
      standard === undefined ? [] : [[name, standard]],
    ),
  ),
  ...values,
});

/**
 * Adds the defaults of the entry's params, and then its other defaults. A default that contains a placeholder without a
 * value is left out. Stored values need this, too: the entry may have gotten a param since they were stored.
 */
export const withDefaults = (given: Values, record: WithDefaults): Values => {
  const values = withParams(given, record);
  return {
    ...Object.fromEntries(
      Object.entries(record.defaults ?? {})
        .filter(([, text]) => placeholdersIn(text).every((name) => Object.hasOwn(values, name)))
        .map(([name, text]) => [name, expandText(text, values)]),
    ),
    ...values,
  };
};

const asBase = (value: string, name: string): string => {
  const url = URL.parse(value);
  if (!url || !/^https?:$/.test(url.protocol) || /[?#]/.test(value) || url.username || url.password)
    throw new ValueMissing(name);
  return url.href.replace(/\/+$/, '');
};

/**
 * Fills in a URL so that no value can redirect it. A placeholder at the start takes a whole URL. In the host, a value
 * may contain only characters of a host, or also a port and a path if the placeholder has a plus. All other values are
 * encoded.
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
    // A path segment of one or two dots changes the path, even if the dots are encoded.
    if (value === '.' || value === '..' || !value.isWellFormed()) throw new ValueMissing(name);
    return encodeURIComponent(value);
  });
  // If the host is empty, the parser takes the first part of the path as the host.
  const url = /^https?:\/\/\//.test(expanded) ? null : URL.parse(expanded);
  if (!url) throw new ValueMissing(first);
  return url;
};
