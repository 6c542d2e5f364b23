import { type Entry, isReady } from './entry.ts';

export type Filter = { q: string; category: string | null };

const plain = (text: string): string => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();

/** Every word is somewhere in the name, the id or the category. */
const matches = ({ id, name, category }: Entry, q: string): boolean => {
  const text = plain(`${name} ${id} ${category}`);
  return plain(q)
    .split(/\s+/)
    .every((word) => text.includes(word));
};

export const findEntries = (entries: readonly Entry[], { q, category }: Filter): Entry[] =>
  entries.filter((entry) => (category === null || entry.category === category) && matches(entry, q));

/** `ready` is set up, but not connected. What's left in the catalog must be set up first. */
export const toShelves = (entries: readonly Entry[]) => {
  const connected = entries.filter(({ connections }) => connections.length > 0);
  const others = entries.filter(({ connections }) => connections.length === 0);
  return { connected, ready: others.filter(isReady), catalogue: others.filter((entry) => !isReady(entry)) };
};

export const listCategories = (entries: readonly Entry[]): { name: string; count: number }[] => {
  const counts = new Map<string, number>();
  for (const { category } of entries) counts.set(category, (counts.get(category) ?? 0) + 1);
  return [...counts].map(([name, count]) => ({ name, count })).sort((a, b) => a.name.localeCompare(b.name, 'en'));
};
