import { toOneLine } from '../../mail/index.ts';
import { createZoneFormats } from '../../platform/index.ts';
import type { WeekId, WeekSpan } from '../week/week.ts';

const dayFormatOf = createZoneFormats({ day: 'numeric', month: 'long', year: 'numeric' });

/**
 * The days of a week: "November 9–15, 2026". Some versions of ICU put thin spaces around the dash. We use plain spaces,
 * and only between dates of several words.
 */
export const daysOfWeek = ({ startsAt, endsAt }: WeekSpan, timeZone: string): string =>
  dayFormatOf(timeZone)
    .formatRange(startsAt, endsAt - 1)
    .replace(/\s*–\s*/u, ' – ')
    .replace(/(\d+) – (\d+),/u, '$1–$2,');

/** A title like "Week 46, November 9–15, 2026", followed by the team's name if given. */
export const titleOf = (week: WeekId, span: WeekSpan, timeZone: string, teamName?: string): string => {
  const team = teamName === undefined ? '' : toOneLine(teamName);
  return `Week ${Number(week.split('-W')[1])}, ${daysOfWeek(span, timeZone)}${team && ` · ${team}`}`;
};
