import type { Static } from 'typebox';
import { Type, toIso } from '../../platform/index.ts';
import { type CallQuery, OUTCOMES } from '../../telephony/index.ts';
import { DayText, endOf, startOf } from '../day.ts';

const Text = Type.Optional(Type.String({ maxLength: 256 }));
const Day = Type.Optional(DayText);

/** The query of the list. A form field that was left empty is present, but means nothing. */
export const CallFilter = Type.Object({
  cursor: Type.Optional(Type.String({ maxLength: 200 })),
  direction: Type.Optional(Type.Enum(['', 'inbound', 'outbound'])),
  outcome: Type.Optional(Type.Enum(['', ...OUTCOMES])),
  waiting: Type.Optional(Type.Enum(['', '1'])),
  from: Text,
  to: Text,
  since: Day,
  until: Day,
});
export type CallFilter = Static<typeof CallFilter>;

const FIELDS = ['direction', 'outcome', 'waiting', 'from', 'to', 'since', 'until'] as const;

/** The fields that are filled in. */
export const filterOf = (query: CallFilter): [name: (typeof FIELDS)[number], value: string][] =>
  FIELDS.flatMap((name) => {
    const value = query[name]?.trim() ?? '';
    return value === '' ? [] : [[name, value]];
  });

/** The path to the same calls elsewhere in the list, or as a file. */
export const addressOf = (path: string, query: CallFilter, cursor: string | null = null): string => {
  const search = new URLSearchParams(filterOf(query));
  if (cursor !== null) search.set('cursor', cursor);
  return search.size === 0 ? path : `${path}?${search}`;
};

/** Days are in the team's time zone; the last one is included. */
export const toCallQuery = (query: CallFilter, timeZone: string): CallQuery => {
  const { direction, outcome, waiting, from, to, since, until } = Object.fromEntries(filterOf(query)) as Partial<
    Record<(typeof FIELDS)[number], string>
  >;
  return {
    ...(direction && { direction: direction as 'inbound' | 'outbound' }),
    ...(outcome && { outcome: outcome as (typeof OUTCOMES)[number] }),
    ...(waiting && { waiting: true }),
    ...(from && { from }),
    ...(to && { to }),
    ...(since && { since: toIso(startOf({ path: 'since', text: since }, timeZone)) }),
    ...(until && { until: toIso(endOf({ path: 'until', text: until }, timeZone)) }),
    ...(query.cursor && { cursor: query.cursor }),
  };
};
