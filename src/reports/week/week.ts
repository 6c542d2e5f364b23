import { createZoneFormats } from '../../platform/index.ts';
import { askOffset } from './wall-clock.ts';

/** An ISO week, `2026-W46`: from Monday to Monday, in the team's time zone. */
export type WeekId = string;

/** `[startsAt, endsAt)`, in milliseconds. A week with a clock change is an hour, or half an hour, longer or shorter. */
export type WeekSpan = { startsAt: number; endsAt: number };

/** A calendar day in any time zone, as midnight UTC of that date. */
type Day = number;

const DAY_MS = 86_400_000;
const WEEK_DAYS = 7;
const MONDAY = 1;
/** January 4th is always in the first ISO week. */
const IN_FIRST_WEEK = 4;
/** More than any time zone's offset from UTC. */
const FARTHEST_MS = 16 * 3_600_000;

const weekdayOf = (day: Day): number => new Date(day).getUTCDay() || WEEK_DAYS;

const mondayOf = (day: Day): Day => day - (weekdayOf(day) - MONDAY) * DAY_MS;

const firstMondayOf = (year: number): Day => mondayOf(Date.UTC(year, 0, IN_FIRST_WEEK));

const countWeeks = (year: number): number =>
  Math.round((firstMondayOf(year + 1) - firstMondayOf(year)) / (WEEK_DAYS * DAY_MS));

const toMonday = (week: WeekId): Day => {
  const [year = 0, number = 0] = week.split('-W').map(Number);
  return firstMondayOf(year) + (number - 1) * WEEK_DAYS * DAY_MS;
};

/** The ID of the week with this day. A week belongs to the year of its Thursday. */
const toWeekId = (day: Day): WeekId => {
  const monday = mondayOf(day);
  const year = new Date(monday + 3 * DAY_MS).getUTCFullYear();
  const number = Math.round((monday - firstMondayOf(year)) / (WEEK_DAYS * DAY_MS)) + 1;
  return `${year}-W${String(number).padStart(2, '0')}`;
};

/** Null if there is no such week, as with `2026-W54`. */
export const parseWeek = (text: string): WeekId | null => {
  const [, year, number] = /^(2\d{3})-W(\d{2})$/.exec(text) ?? [];
  if (year === undefined || number === undefined) return null;
  const fits = Number(number) >= 1 && Number(number) <= countWeeks(Number(year));
  return fits ? text : null;
};

const formatOf = createZoneFormats({ year: 'numeric', month: 'numeric', day: 'numeric' });

/** The local date at an instant. */
const dayAt = (instant: number, timeZone: string): Day => {
  const [month = 1, day = 1, year = 1970] = formatOf(timeZone).format(instant).split('/').map(Number);
  return Date.UTC(year, month - 1, day);
};

const isFirstOf = (day: Day, instant: number, timeZone: string): boolean =>
  dayAt(instant, timeZone) >= day && dayAt(instant - 1, timeZone) < day;

/**
 * The first instant of a day. If midnight is skipped, the day begins when the clocks go forward. The first guess is
 * nearly always right. If the clocks change around midnight, a binary search finds the instant.
 */
export const startOfDay = (day: Day, timeZone: string): number => {
  const guess = day - askOffset(day, timeZone);
  if (isFirstOf(day, guess, timeZone)) return guess;
  let [before, at] = [day - FARTHEST_MS, day + FARTHEST_MS];
  while (at - before > 1) {
    const middle = Math.floor((before + at) / 2);
    if (dayAt(middle, timeZone) >= day) at = middle;
    else before = middle;
  }
  return at;
};

/** A week's span, from the start of its Monday to the start of the next, which isn't always 7 × 24 hours. */
export const spanOf = (week: WeekId, timeZone: string): WeekSpan => {
  const monday = toMonday(week);
  return { startsAt: startOfDay(monday, timeZone), endsAt: startOfDay(monday + WEEK_DAYS * DAY_MS, timeZone) };
};

/** The first and last day of a week, as calendar dates. */
export const daysOf = (week: WeekId): { first: string; last: string } => {
  const monday = toMonday(week);
  const print = (day: Day): string => new Date(day).toISOString().slice(0, 10);
  return { first: print(monday), last: print(monday + (WEEK_DAYS - 1) * DAY_MS) };
};

export const weekAt = (instant: number, timeZone: string): WeekId => toWeekId(dayAt(instant, timeZone));

export const shiftWeek = (week: WeekId, by: number): WeekId => toWeekId(toMonday(week) + by * WEEK_DAYS * DAY_MS);

/** The last full week. */
export const lastFinishedWeek = (now: number, timeZone: string): WeekId => shiftWeek(weekAt(now, timeZone), -1);
