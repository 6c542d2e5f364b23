import { Type } from '../../../platform/index.ts';
import { type Category, findCategory, slugOf } from '../categories.ts';

const SHOWS = ['attention', 'connected', 'ready', 'all'] as const;

/** The part of the list to show. Without a filter, the page is the overview. */
export type Filter = {
  q: string;
  category: Category | null;
  /** A single shelf, or the whole catalog. */
  show: (typeof SHOWS)[number] | null;
  /** The page number, starting at 1. */
  page: number;
};

export const OVERVIEW: Filter = { q: '', category: null, show: null, page: 1 };

export const FILTER_QUERY = {
  q: Type.Optional(Type.String({ maxLength: 100 })),
  category: Type.Optional(Type.String({ maxLength: 60 })),
  show: Type.Optional(Type.String({ maxLength: 20 })),
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 })),
};

type FilterQuery = { q?: string; category?: string; show?: string; page?: number };

/** Reads the filter from the query. Unknown values are ignored. */
export const readFilter = ({ q = '', category = '', show, page = 1 }: FilterQuery): Filter => ({
  q: q.trim(),
  category: findCategory(category),
  show: SHOWS.find((one) => one === show) ?? null,
  page,
});

export const integrationsAddress = (filter: Partial<Filter>): string => {
  const { q, category, show, page } = { ...OVERVIEW, ...filter };
  const query = new URLSearchParams();
  if (q !== '') query.set('q', q);
  if (category !== null) query.set('category', slugOf(category));
  if (show !== null) query.set('show', show);
  if (page > 1) query.set('page', String(page));
  return query.size === 0 ? '/integrations' : `/integrations?${query}`;
};
