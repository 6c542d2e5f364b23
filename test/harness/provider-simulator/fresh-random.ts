import type { SimulatedProvider, Values } from './simulated-provider.ts';

/** What the entry fills `{random}` with, as this request has it. If it's no fresh 128-bit value, nothing is accepted. */
export const freshRandomIn = (
  { randoms }: SimulatedProvider,
  templates: Values,
  read: (name: string) => string | undefined,
): string => {
  const names = Object.keys(templates).filter((name) => templates[name]?.includes('{random}'));
  const [found = ''] = names.map((name) => /[0-9a-f]{32}/.exec(read(name) ?? '')?.[0] ?? '');
  return found === '' || randoms.has(found) ? 'a fresh 128-bit value' : found;
};
