import type { Category } from '../categories.ts';
import type { Entry } from '../entry.ts';

const plain = (text: string): string => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();

/** 0 if the name begins with what was entered, 1 if another of its words does, 2 if it's anywhere else. */
const distanceOf = (name: string, q: string): number => {
  if (name.startsWith(q)) return 0;
  return name.split(/[^\p{L}\p{N}]+/u).some((word) => word.startsWith(q)) ? 1 : 2;
};

/** Those with every word of `q` in their name, ID or category: first those whose name begins with it. */
export const findEntries = (entries: readonly Entry[], q: string, category: Category | null): Entry[] => {
  const wanted = plain(q).trim();
  const parts = wanted.split(/\s+/);
  return entries
    .filter((entry) => category === null || entry.category === category)
    .map((entry) => ({ entry, text: plain(`${entry.words} ${entry.category}`), name: plain(entry.name) }))
    .filter(({ text }) => parts.every((part) => text.includes(part)))
    .map(({ entry, name }) => ({ entry, distance: distanceOf(name, wanted) }))
    .sort((a, b) => a.distance - b.distance)
    .map(({ entry }) => entry);
};
