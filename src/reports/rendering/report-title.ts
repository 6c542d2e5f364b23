import { createZoneFormats, toOneLine } from '../../platform/index.ts';
import type { WeekId, WeekSpan } from '../week/week.ts';

export type HourCycle = 'h12' | 'h23';

const INSTANT = { weekday: 'short', day: 'numeric', month: 'short', minute: '2-digit' } as const;
const INSTANT_FORMATS = {
  h12: createZoneFormats({ ...INSTANT, hour: 'numeric', hourCycle: 'h12' }),
  h23: createZoneFormats({ ...INSTANT, hour: '2-digit', hourCycle: 'h23' }),
};
const dayFormatOf = createZoneFormats({ day: 'numeric', month: 'long', year: 'numeric' });

/** How times are written: where, and with 12 or 24 hours. */
export type TimeStyle = { timeZone: string; hourCycle: HourCycle };

/** "Mon, Nov 9, 14:05", in the team's time zone. ICU puts a narrow space before "PM", which few fonts have. */
export const formatInstant = (instant: string, { timeZone, hourCycle }: TimeStyle): string =>
  INSTANT_FORMATS[hourCycle](timeZone).format(new Date(instant)).replace('\u202f', ' ');

/** "November 9–15, 2026". Some versions of ICU put thin spaces around the dash; we put plain ones, and only between dates of several words. */
export const daysOfWeek = ({ startsAt, endsAt }: WeekSpan, timeZone: string): string =>
  dayFormatOf(timeZone)
    .formatRange(startsAt, endsAt - 1)
    .replace(/\s*–\s*/u, ' – ')
    .replace(/(\d+) – (\d+),/u, '$1–$2,');

/** "Week 46, November 9–15, 2026", followed by the team if one is given. */
export const titleOf = (week: WeekId, span: WeekSpan, timeZone: string, teamName?: string): string => {
  const team = teamName === undefined ? '' : toOneLine(teamName);
  return `Week ${Number(week.split('-W')[1])}, ${daysOfWeek(span, timeZone)}${team && ` · ${team}`}`;
};
