import type { WeekId, WeekSpan } from '../week/week.ts';

/** Line ends would make a second mail header or a false line of text; the others turn the writing direction round. */
const UNRULY = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu;

/** What people have typed, fit for one line of a mail or message. */
export const toOneLine = (text: string): string => text.toWellFormed().replace(UNRULY, ' ').trim();

/** "Mon 9 Nov, 14:05", on the wall of the team. */
export const formatInstant = (instant: string, timeZone: string): string =>
  new Intl.DateTimeFormat('en-GB', {
    timeZone,
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).format(new Date(instant));

/** ICU puts thin spaces around the dash, and not in every version; ours stand only between dates of several words. */
const formatDays = ({ startsAt, endsAt }: WeekSpan, timeZone: string): string =>
  new Intl.DateTimeFormat('en-GB', { timeZone, day: 'numeric', month: 'long', year: 'numeric' })
    .formatRange(startsAt, endsAt - 1)
    .replace(/\s*–\s*/u, ' – ')
    .replace(/^(\d+) – (\d+) /u, '$1–$2 ');

/** "Week 46, 9–15 November 2026", and the team after it where one is named. */
export const titleOf = (week: WeekId, span: WeekSpan, timeZone: string, teamName?: string): string => {
  const team = teamName === undefined ? '' : toOneLine(teamName);
  return `Week ${Number(week.split('-W')[1])}, ${formatDays(span, timeZone)}${team && ` · ${team}`}`;
};
