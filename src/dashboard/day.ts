import { invalidInput } from '../http/index.ts';
import { Type, toIso } from '../platform/index.ts';
import { startOfDay } from '../reports/index.ts';

const DAY_MS = 86_400_000;

/** A date field in a form. May be empty. */
export const DayText = Type.String({
  pattern: '^([12]\\d{3}-\\d{2}-\\d{2})?$',
  description: 'a date like 2026-11-15',
});

/** A date as a person entered it, and the path of its field. */
type EnteredDay = { path: string; text: string };

const parseDay = ({ path, text }: EnteredDay): number => {
  const day = Date.parse(text);
  // JavaScript parses some nonexistent days, like February 30, as days of the next month.
  if (Number.isNaN(day) || !toIso(day).startsWith(text)) throw invalidInput([{ path, message: 'is not a valid date' }]);
  return day;
};

/** The first instant of the day in the team's time zone. */
export const startOfEnteredDay = (day: EnteredDay, timeZone: string): number => startOfDay(parseDay(day), timeZone);

/** The first instant of the next day in the team's time zone. */
export const endOfEnteredDay = (day: EnteredDay, timeZone: string): number =>
  startOfDay(parseDay(day) + DAY_MS, timeZone);
