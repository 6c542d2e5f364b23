/** The values for {placeholders}. */
export type Values = Readonly<Record<string, string>>;

const PLACEHOLDER = /\{([a-z][a-zA-Z0-9_]*)\}/g;
const HOST_PART = /^[a-z0-9._-]*$/i;

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

const lookUp = (values: Values, name: string): string => {
  const value = Object.hasOwn(values, name) ? values[name] : undefined;
  if (value === undefined) throw new ValueMissing(name);
  return value;
};

export const expandText = (text: string, values: Values): string =>
  text.replace(PLACEHOLDER, (_, name: string) => lookUp(values, name));

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
 * what a host may, and every other is encoded.
 */
export const expandAddress = (text: string, values: Values): URL => {
  const pathAt = text.startsWith('{') ? 0 : text.indexOf('/', text.indexOf('//') + 2);
  const [first = ''] = placeholdersIn(text);
  const expanded = text.replace(PLACEHOLDER, (_, name: string, at: number) => {
    const value = lookUp(values, name);
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
