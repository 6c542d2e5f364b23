import { createZoneFormats } from './zone-formats.ts';

export type HourCycle = 'h12' | 'h23';

/** How to write times: in which time zone, and with 12 or 24 hours. `now` decides whether a date needs its year. */
export type TimeStyle = { timeZone: string; hourCycle: HourCycle; now: number };

const TIMES = {
  h12: createZoneFormats({ hour: 'numeric', minute: '2-digit', hourCycle: 'h12' }),
  h23: createZoneFormats({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }),
};
const dayFormatOf = createZoneFormats({ month: 'short', day: 'numeric' });
const dayAndYearFormatOf = createZoneFormats({ dateStyle: 'medium' });
const yearFormatOf = createZoneFormats({ year: 'numeric' });

/** Replaces the narrow space that `Intl` puts before "PM", which many fonts don't have. */
export const printTime = (format: Intl.DateTimeFormat, instant: number): string =>
  format.format(instant).replace('\u202f', ' ');

/** Writes a time: "4:43 PM" or "16:43". */
export const timeWords = (instant: number, { timeZone, hourCycle }: TimeStyle): string =>
  printTime(TIMES[hourCycle](timeZone), instant);

/** Writes a date: "Nov 9", or "Nov 9, 2025" in any other year. */
export const dateWords = (instant: number, { timeZone, now }: TimeStyle): string => {
  const yearOf = (one: number): string => yearFormatOf(timeZone).format(one);
  return (yearOf(instant) === yearOf(now) ? dayFormatOf : dayAndYearFormatOf)(timeZone).format(instant);
};

/** Writes a date and a time, on every page and in every email and message: "Nov 9, 4:43 PM". */
export const momentWords = (instant: number, style: TimeStyle): string =>
  `${dateWords(instant, style)}, ${timeWords(instant, style)}`;

/** The hour cycle that is usual in a language or region. */
export const hourCycleOf = (locale: Intl.Locale): HourCycle => {
  const [usual] = locale.getHourCycles();
  return usual === 'h12' || usual === 'h11' ? 'h12' : 'h23';
};

const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
let cyclesByZone: ReadonlyMap<string, HourCycle> | undefined;

/** The main name of a time zone, which may have several, such as Asia/Kolkata and Asia/Calcutta. */
const canonicalOf = (timeZone: string): string => dayFormatOf(timeZone).resolvedOptions().timeZone;

const readCycles = (): ReadonlyMap<string, HourCycle> => {
  const regions = LETTERS.flatMap((first) => LETTERS.map((second) => new Intl.Locale(`und-${first}${second}`)));
  return new Map(
    regions.flatMap((region) => (region.getTimeZones() ?? []).map((zone) => [zone, hourCycleOf(region)] as const)),
  );
};

/**
 * The hour cycle that is usual in a time zone. For emails and messages, where no browser says what the reader prefers.
 * 24 hours if the zone isn't known.
 */
export const hourCycleIn = (timeZone: string): HourCycle => {
  cyclesByZone ??= readCycles();
  return cyclesByZone.get(canonicalOf(timeZone)) ?? 'h23';
};
