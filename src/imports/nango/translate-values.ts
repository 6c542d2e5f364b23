import { type Reason, reason } from '../reason.ts';
import type { NangoProvider } from './nango-providers.ts';
import type { FullConnection } from './nango-schemas.ts';

const PLACEHOLDER = /\{([\w.-]+)\}/g;
/** Longer than any host, region or realm. */
const MOST_CHARACTERS = 500;

type Config = NonNullable<FullConnection['connection_config']>;

const textIn = (config: Config, name: string): string | null => {
  const value = config[name];
  return typeof value === 'string' && value !== '' && value.length <= MOST_CHARACTERS ? value : null;
};

const fill = (config: Config, template: string): string | null => {
  const names = [...template.matchAll(PLACEHOLDER)].map(([, name = '']) => name);
  if (names.some((name) => textIn(config, name) === null)) return null;
  return template.replace(PLACEHOLDER, (_, name: string) => textIn(config, name) ?? '');
};

/**
 * Translates values of `connection_config` to the names of our catalog entry, or returns why the entry doesn't cover
 * them.
 */
export const translateValues = (
  config: Config,
  { values = {}, only = {} }: Pick<NangoProvider, 'values' | 'only'>,
): { values: Record<string, string> } | Reason => {
  const beyond = Object.entries(only).find(([name, value]) => (textIn(config, name) ?? value) !== value);
  if (beyond) return reason('not_covered', `Patchbay has this provider only with ${beyond[0]} "${beyond[1]}".`);
  const filled = Object.entries(values).flatMap(([name, template]) => {
    const text = fill(config, template);
    return text === null ? [] : [[name, text]];
  });
  return { values: Object.fromEntries(filled) };
};
