import ipaddr from 'ipaddr.js';
import { Secret } from './secret.ts';

/** One environment variable: how it's read, and what the documentation says about it. */
type Setting<T> = {
  name: string;
  about: string;
  /** Completes the sentence "NAME must be …". */
  expected: string;
  /** The default as shown in the documentation. Null if there is none. */
  fallback: string | null;
  secret: boolean;
  /** Throws, or returns undefined, if the value isn't as expected. */
  parse(text: string): T | undefined;
  whenUnset: T;
};

type Shape<T> = { expected: string; secret?: boolean; parse(text: string): T | undefined };

const undescribed = <T>(setting: Omit<Setting<T>, 'about'>) => ({
  about: (about: string): Setting<T> => ({ ...setting, about }),
});

/** A setting that is null if it's unset. */
export const optional = <T>(name: string, shape: Shape<T>) =>
  undescribed<T | null>({ name, secret: false, fallback: null, whenUnset: null, ...shape });

export const defaulted = <T>(name: string, shape: Shape<T>, fallback: string) => {
  const whenUnset = shape.parse(fallback);
  if (whenUnset === undefined) throw new Error(`The default of ${name} is not ${shape.expected}.`);
  return undescribed<T>({ name, secret: false, fallback, whenUnset, ...shape });
};

export const text: Shape<string> = { expected: 'text', parse: (value) => value };

export const wholeNumber = (least: number, most: number): Shape<number> => ({
  expected: `a whole number from ${least} to ${most}`,
  parse(value) {
    const number = Number(value);
    return /^\d+$/.test(value) && number >= least && number <= most ? number : undefined;
  },
});

export const oneOf = <const Choice extends string>(choices: readonly Choice[]): Shape<Choice> => ({
  expected: `one of ${choices.join(', ')}`,
  parse: (value) => choices.find((choice) => choice === value),
});

export const listOf = <T>(item: Shape<T>, expected: string): Shape<T[]> => ({
  ...item,
  expected,
  parse(value) {
    const items = value.split(',').map((part) => item.parse(part.trim()));
    return items.includes(undefined) ? undefined : (items as T[]);
  },
});

export const secretText = (leastCharacters: number): Shape<Secret> => ({
  expected:
    leastCharacters > 1
      ? `a secret of at least ${leastCharacters} characters without spaces`
      : 'a secret without spaces',
  secret: true,
  parse: (value) => (value.length >= leastCharacters && !/\s/.test(value) ? new Secret(value) : undefined),
});

/** An origin: scheme, host and port, and nothing else. */
export const origin: Shape<string> = {
  expected: 'an address with only a scheme and host, like https://patchbay.example.com',
  parse(value) {
    const url = URL.parse(value);
    return url && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/` ? url.origin : undefined;
  },
};

const MAILBOX = String.raw`[^\s@<>()[\],;:"]+@[^\s@<>()[\],;:"]+`;
/** A name with a comma or colon must be quoted. Otherwise, it's read as a list or group of email addresses. */
const NAME = String.raw`(?:"[^"\p{C}]*"|[^@<>()[\],;:"\p{C}]*)`;
const SENDER = new RegExp(`^(?:${MAILBOX}|${NAME}\\s*<${MAILBOX}>)$`, 'u');

export const sender: Shape<string> = {
  expected: 'an email address, like patchbay@example.com or Patchbay <patchbay@example.com>',
  parse: (value) => (SENDER.test(value) ? value : undefined),
};

export const addressRange: Shape<string> = {
  expected: 'an address or a range',
  parse: (value) => (ipaddr.isValid(value) || ipaddr.isValidCIDR(value) ? value : undefined),
};

export type SettingValues<Settings> = { [Key in keyof Settings]: Settings[Key] extends Setting<infer T> ? T : never };

/** Reads every setting. An empty value means unset. Problems name the setting, but never show the value. */
export const readSettings = <Settings extends Record<string, Setting<unknown>>>(
  settings: Settings,
  values: Readonly<Record<string, string | undefined>>,
): { read: SettingValues<Settings>; problems: string[] } => {
  const problems: string[] = [];
  const readOne = (setting: Setting<unknown>): unknown => {
    const value = values[setting.name]?.trim() ?? '';
    if (value === '') return setting.whenUnset;
    const problem = `${setting.name} must be ${setting.expected}`;
    try {
      const parsed = setting.parse(value);
      if (parsed === undefined) problems.push(`${problem}.`);
      return parsed;
    } catch (error) {
      problems.push(`${problem}: ${error instanceof Error ? error.message : 'it is not valid'}`);
      return undefined;
    }
  };
  const entries = Object.entries(settings).map(([key, setting]) => [key, readOne(setting)]);
  return { read: Object.fromEntries(entries) as SettingValues<Settings>, problems };
};
