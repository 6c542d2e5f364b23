import { invalidInput } from '../http/index.ts';
import { Type, toIso } from '../platform/index.ts';
import { startOfDay } from '../reports/index.ts';

const DAY_MS = 86_400_000;

/** A date in a form, or nothing. */
export const DayText = Type.String({
  pattern: '^([12]\\d{3}-\\d{2}-\\d{2})?$',
  description: 'a date like 2026-11-15',
});

/** A date as it was entered, and the field that it was entered in. */
type EnteredDay = { path: string; text: string };

const parseDay = ({ path, text }: EnteredDay): number => {
  const day = Date.parse(text);
  // Some days that a month doesn't have are parsed as days of the next month.
  if (Number.isNaN(day) || !toIso(day).startsWith(text)) throw invalidInput([{ path, message: 'is not a valid date' }]);
  return day;
};

/** The day's first instant in the team's time zone. */
export const startOfEnteredDay = (day: EnteredDay, timeZone: string): number => startOfDay(parseDay(day), timeZone);

/** The first instant of the day after. */
export const endOfEnteredDay = (day: EnteredDay, timeZone: string): number =>
  startOfDay(parseDay(day) + DAY_MS, timeZone);
