import { findByWords } from '../../../integrations/index.ts';
import type { Category } from '../categories.ts';
import type { Entry } from '../entry.ts';

/** The entries in a category that match a search, best match first. */
export const findEntries = (entries: readonly Entry[], q: string, category: Category | null): Entry[] =>
  findByWords(
    entries.filter((entry) => category === null || entry.category === category),
    q,
    (entry) => ({ ...entry, words: `${entry.words} ${entry.category}` }),
  );
