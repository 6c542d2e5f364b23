import { createZoneFormats } from '../../platform/index.ts';

/** Local time. Day 0 is Monday, and the minute counts from local midnight. */
type WallTime = { day: number; minute: number };

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const WEEK_DAYS = 7;
/** The epoch began on a Thursday, which is day 3. */
const FIRST_DAY = 3;

const formatOf = createZoneFormats({
  ...{ year: 'numeric', month: 'numeric', day: 'numeric' },
  ...{ hour: 'numeric', minute: 'numeric', hourCycle: 'h23' },
});

/** How far local time is ahead of UTC in milliseconds, according to `Intl`. */
export const askOffset = (instant: number, timeZone: string): number => {
  const numbers = formatOf(timeZone).format(instant).match(/\d+/g) ?? [];
  const [month = 1, day = 1, year = 1970, hour = 0, minute = 0] = numbers.map(Number);
  return Date.UTC(year, month - 1, day, hour, minute) - Math.floor(instant / MINUTE_MS) * MINUTE_MS;
};

/**
 * The instants at which a local clock shows this time. `wall` is the local time as if it were UTC. If the clocks go
 * back and show this time twice, there are two. If they skip this time, the results use the offsets from before and
 * after the change.
 */
export const instantsOf = (wall: number, timeZone: string): { earliest: number; latest: number } => {
  const around = [wall - DAY_MS, wall + DAY_MS].map((instant) => wall - askOffset(instant, timeZone));
  const shown = around.filter((instant) => instant + askOffset(instant, timeZone) === wall);
  const instants = shown.length > 0 ? shown : around;
  return { earliest: Math.min(...instants), latest: Math.max(...instants) };
};

/**
 * The first instant at which a local clock shows this time. If the clocks skip this time, an instant after the change.
 */
export const firstInstantOf = (wall: number, timeZone: string): number => {
  const { earliest, latest } = instantsOf(wall, timeZone);
  return earliest + askOffset(earliest, timeZone) === wall ? earliest : latest;
};

/**
 * Converts instants to local time. `Intl` is slow, so it's used only for the start and end of each UTC day, and for
 * other times only on days when the clocks change.
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
