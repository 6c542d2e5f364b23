import type { Static } from 'typebox';
import { Type, toIso } from '../../platform/index.ts';
import { type CallQuery, OUTCOMES, type ShownCall } from '../../telephony/index.ts';
import { DayText, endOfEnteredDay, startOfEnteredDay } from '../day.ts';

const Text = Type.Optional(Type.String({ maxLength: 256 }));
const Day = Type.Optional(DayText);

/** The query of the list. A form also sends empty fields, which are ignored. */
export const EnteredFilter = Type.Object({
  cursor: Type.Optional(Type.String({ maxLength: 200 })),
  search: Type.Optional(Type.String({ maxLength: 100 })),
  direction: Type.Optional(Type.Enum(['', 'inbound', 'outbound'])),
  outcome: Type.Optional(Type.Enum(['', ...OUTCOMES])),
  waiting: Type.Optional(Type.Enum(['', '1'])),
  from: Text,
  to: Text,
  since: Day,
  until: Day,
  order: Type.Optional(Type.Enum(['', 'oldest'])),
});
export type EnteredFilter = Static<typeof EnteredFilter>;

const FIELDS = ['search', 'direction', 'outcome', 'waiting', 'from', 'to', 'since', 'until', 'order'] as const;
type Field = (typeof FIELDS)[number];

/** The fields of the filter that are filled in. */
export const filterOf = (query: EnteredFilter): [name: Field, value: string][] =>
  FIELDS.flatMap((name) => {
    const value = query[name]?.trim() ?? '';
    return value === '' ? [] : [[name, value]];
  });

/** The URL of the same calls under another path, such as the download, or on another page of the list. */
export const callsAddress = (path: string, query: EnteredFilter, cursor?: string | null): string => {
  const search = new URLSearchParams(filterOf(query));
  if (cursor) search.set('cursor', cursor);
  return search.size === 0 ? path : `${path}?${search}`;
};

/** Reads the list's URL that a form sends. Keeps only known fields, so that it always leads back to the list. */
export const readAddress = (address: string): EnteredFilter => {
  const given = new URLSearchParams(address.split('?')[1] ?? '');
  const known = [...FIELDS, 'cursor'].flatMap((name) => (given.has(name) ? [[name, given.get(name)]] : []));
  return Object.fromEntries(known);
};

/** The tabs of the list, with the query of each. */
const TABS = {
  all: {},
  waiting: { waiting: '1' },
  voicemail: { outcome: 'voicemail' },
  answered: { outcome: 'answered' },
} as const;
export type CallTab = keyof typeof TABS;

export const tabOf = ({ waiting, outcome }: EnteredFilter): CallTab => {
  if (waiting === '1') return 'waiting';
  return outcome === 'voicemail' || outcome === 'answered' ? outcome : 'all';
};

/** The tabs that a call is in. */
export const tabsOf = ({ outcome, isWaiting }: Pick<ShownCall, 'outcome' | 'isWaiting'>): CallTab[] => [
  'all',
  ...(outcome === 'voicemail' || outcome === 'answered' ? [outcome] : []),
  ...(isWaiting ? (['waiting'] as const) : []),
];

/** The URL of another tab, which keeps the search. */
export const tabAddress = (tab: CallTab, { search }: EnteredFilter): string =>
  callsAddress('/calls', { ...TABS[tab], ...(search !== undefined && { search }) });

/** Whether the list shows each waiting caller once. Only if no other filter is set. */
export const isByCaller = (query: EnteredFilter): boolean =>
  tabOf(query) === 'waiting' && extraFilterOf(query).length === 0;

/** Whether the longest wait comes first. Only for waiting callers, and not for a search, which goes from new to old. */
export const isOldestFirst = (query: EnteredFilter): boolean =>
  query.order === 'oldest' && isByCaller(query) && !query.search?.trim();

/** The filters besides the tab and the search. */
export const extraFilterOf = (query: EnteredFilter): [name: Field, value: string][] => {
  const own = new Set(['search', 'order', ...Object.keys(TABS[tabOf(query)])]);
  return filterOf(query).filter(([name]) => !own.has(name));
};

/** Converts the filter to a query of calls. Days are in the team's time zone. The last day is included. */
export const toCallQuery = (query: EnteredFilter, timeZone: string): CallQuery => {
  const { search, direction, outcome, waiting, from, to, since, until } = Object.fromEntries(
    filterOf(query),
  ) as Partial<Record<Field, string>>;
  return {
    ...(search && { search }),
    ...(direction && { direction: direction as 'inbound' | 'outbound' }),
    ...(outcome && { outcome: outcome as (typeof OUTCOMES)[number] }),
    ...(waiting && { waiting: true }),
    ...(from && { from }),
    ...(to && { to }),
    ...(since && { since: toIso(startOfEnteredDay({ path: 'since', text: since }, timeZone)) }),
    ...(until && { until: toIso(endOfEnteredDay({ path: 'until', text: until }, timeZone)) }),
    ...(query.cursor && { cursor: query.cursor }),
  };
};
