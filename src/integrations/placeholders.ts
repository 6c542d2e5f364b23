/** What stands for {placeholders}. */
export type Values = Readonly<Record<string, string>>;

const PLACEHOLDER = /\{([a-z][a-zA-Z0-9_]*)\}/g;
const HOST_PART = /^[a-z0-9._-]*$/i;

/** A value that an address or a param needs is not there, or cannot stand where it should. */
export class ValueMissing extends Error {
  override readonly name = 'ValueMissing';
  readonly placeholder: string;

  constructor(placeholder: string) {
    super(`There is no value for "${placeholder}" that can be used here.`);
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

/** The defaults of an entry may be made of other values. */
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
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username) throw new ValueMissing(name);
  return value.replace(/\/+$/, '');
};

/**
 * An address whose placeholders cannot move it: one that begins the address must be an address itself, one in the host
 * holds nothing but what a host may, and every other is encoded.
 */
export const expandAddress = (text: string, values: Values): URL => {
  const pathAt = text.startsWith('{') ? 0 : text.indexOf('/', text.indexOf('//') + 2);
  const expanded = text.replace(PLACEHOLDER, (_, name: string, at: number) => {
    const value = lookUp(values, name);
    if (at === 0) return asBase(value, name);
    if (pathAt === -1 || at < pathAt) {
      if (!HOST_PART.test(value)) throw new ValueMissing(name);
      return value;
    }
    return encodeURIComponent(value);
  });
  return new URL(expanded);
};
