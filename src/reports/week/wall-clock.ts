import { createZoneFormats } from '../../platform/index.ts';

/** Monday is day 0; the minute is counted from midnight on the wall. */
export type WallTime = { day: number; minute: number };

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const WEEK_DAYS = 7;
/** The epoch began on a Thursday. */
const FIRST_DAY = 3;

const formatOf = createZoneFormats('en-US', {
  ...{ year: 'numeric', month: 'numeric', day: 'numeric' },
  ...{ hour: 'numeric', minute: 'numeric', hourCycle: 'h23' },
});

/** How far the wall is ahead of UTC, as the machine's calendar says. */
export const askOffset = (instant: number, timeZone: string): number => {
  const numbers = formatOf(timeZone).format(instant).match(/\d+/g) ?? [];
  const [month = 1, day = 1, year = 1970, hour = 0, minute = 0] = numbers.map(Number);
  return Date.UTC(year, month - 1, day, hour, minute) - Math.floor(instant / MINUTE_MS) * MINUTE_MS;
};

/**
 * What the clock on the team's wall shows. The calendar is slow to ask: it is asked where a day of UTC begins and ends, and
 * in between only on days on which the clocks are changed.
 */
export const createWallClock = (timeZone: string) => {
  const edges = new Map<number, number>();
  let today = { day: Number.NaN, offset: 0, isChanged: false };

  const offsetAtEdge = (day: number): number => {
    const offset = edges.get(day) ?? askOffset(day * DAY_MS, timeZone);
    edges.set(day, offset);
    return offset;
  };

  const offsetAt = (instant: number): number => {
    const day = Math.floor(instant / DAY_MS);
    if (day !== today.day) {
      const offset = offsetAtEdge(day);
      today = { day, offset, isChanged: offset !== offsetAtEdge(day + 1) };
    }
    return today.isChanged ? askOffset(instant, timeZone) : today.offset;
  };

  return (instant: number): WallTime => {
    const wall = instant + offsetAt(instant);
    const day = Math.floor(wall / DAY_MS);
    return { day: (day + FIRST_DAY) % WEEK_DAYS, minute: Math.floor((wall - day * DAY_MS) / MINUTE_MS) };
  };
};
