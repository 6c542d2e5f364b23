import type { Static } from 'typebox';
import { PageQuery, Type } from '../../../platform/index.ts';
import type { AuditQuery } from '../../../teams/index.ts';
import { DayText, endOfEnteredDay, startOfEnteredDay } from '../../day.ts';

const Text = Type.Optional(Type.String({ maxLength: 60 }));
const Day = Type.Optional(DayText);

/** The query of the page. A form also sends empty fields, which are ignored. */
export const EnteredAuditFilter = Type.Object(
  { ...PageQuery.properties, who: Text, what: Text, since: Day, until: Day },
  { additionalProperties: false },
);
export type EnteredAuditFilter = Partial<Static<typeof EnteredAuditFilter>>;

const FIELDS = ['who', 'what', 'since', 'until'] as const;
type Field = (typeof FIELDS)[number];

/** The fields of the filter that are filled in. */
const filterOf = (entered: EnteredAuditFilter): Partial<Record<Field, string>> =>
  Object.fromEntries(
    FIELDS.flatMap((name) => {
      const value = entered[name]?.trim() ?? '';
      return value === '' ? [] : [[name, value]];
    }),
  );

export const isFiltered = (entered: EnteredAuditFilter): boolean => Object.keys(filterOf(entered)).length > 0;

/** The URL of the first page of the same entries, or of their file. */
export const auditAddress = (entered: EnteredAuditFilter, path = '/settings/audit'): string => {
  const search = new URLSearchParams(filterOf(entered));
  return search.size === 0 ? path : `${path}?${search}`;
};

/** Converts the filter to a query. Days are in the team's time zone. The last day is included. */
export const toAuditQuery = (entered: EnteredAuditFilter, timeZone: string): AuditQuery => {
  const { who, what, since, until } = filterOf(entered);
  return {
    who,
    what,
    ...(since && { since: startOfEnteredDay({ path: 'since', text: since }, timeZone) }),
    ...(until && { until: endOfEnteredDay({ path: 'until', text: until }, timeZone) }),
  };
};
