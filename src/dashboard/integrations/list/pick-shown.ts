import { countProviders, type Entry } from '../entry.ts';
import type { Filter } from './filter.ts';
import { findEntries } from './find-entries.ts';
import { type Shelves, toShelves } from './shelves.ts';

/**
 * How many entries of each shelf the overview shows. Even with the largest logos, the page and everything it loads stay
 * below 60 KB.
 */
const MOST_IN_OVERVIEW = { attention: 3, connected: 9, ready: 6 };
/** Other providers fill the overview up to `MOST_PROVIDERS`. At least `LEAST_OTHERS` of them are shown. */
const [MOST_PROVIDERS, LEAST_OTHERS] = [24, 8];
const CARDS_PER_PAGE = 24;
const TILES_PER_PAGE = 48;

export type Paged<Item> = { items: readonly Item[]; total: number; hasMore: boolean };

const pageOf = <Item>(all: readonly Item[], page: number, size: number): Paged<Item> => ({
  items: all.slice((page - 1) * size, page * size),
  total: all.length,
  hasMore: all.length > page * size,
});

const NOTHING = { items: [], total: 0, hasMore: false };

/** The search results. `providers` is their number without the sandbox. */
export type Found = Paged<Entry> & { providers: number };

/** What one page shows: shelves, or search results. */
export type Shown = { [Shelf in keyof Shelves]: Paged<Shelves[Shelf][number]> } & { found: Found | null };

const isPopular = ({ provider }: Entry): boolean => provider?.popular ?? false;

/** All other providers if they fit. Otherwise only popular ones. */
const pickOthers = (others: readonly Entry[], cards: number): Paged<Entry> => {
  const most = Math.max(LEAST_OTHERS, MOST_PROVIDERS - cards);
  const picked = others.length > most ? others.filter(isPopular) : others;
  const items = picked.slice(0, most);
  return { items, total: others.length, hasMore: others.length > items.length };
};

export const pickShown = (entries: readonly Entry[], { q, category, show, page }: Filter): Shown => {
  const none = { attention: NOTHING, connected: NOTHING, ready: NOTHING, others: NOTHING, found: null };
  if (q !== '' || category !== null || show === 'all') {
    const found = findEntries(entries, q, category);
    return { ...none, found: { ...pageOf(found, page, TILES_PER_PAGE), providers: countProviders(found) } };
  }
  const shelves = toShelves(entries);
  if (show === 'attention') return { ...none, attention: pageOf(shelves.attention, page, CARDS_PER_PAGE) };
  if (show === 'connected') return { ...none, connected: pageOf(shelves.connected, page, CARDS_PER_PAGE) };
  if (show === 'ready') return { ...none, ready: pageOf(shelves.ready, page, CARDS_PER_PAGE) };
  const attention = pageOf(shelves.attention, 1, MOST_IN_OVERVIEW.attention);
  const connected = pageOf(shelves.connected, 1, MOST_IN_OVERVIEW.connected);
  const ready = pageOf(shelves.ready, 1, MOST_IN_OVERVIEW.ready);
  const cards = attention.items.length + connected.items.length + ready.items.length;
  return { attention, connected, ready, others: pickOthers(shelves.others, cards), found: null };
};
