import { createZoneFormats, dateWords, type Html, html, printTime, timeWords, toIso } from '../../platform/index.ts';
import type { Region } from './region.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

const SECONDS = {
  h12: createZoneFormats({ timeStyle: 'medium', hourCycle: 'h12' }),
  h23: createZoneFormats({ timeStyle: 'medium', hourCycle: 'h23' }),
};
const IN_FULL = {
  h12: createZoneFormats({ dateStyle: 'full', timeStyle: 'long', hourCycle: 'h12' }),
  h23: createZoneFormats({ dateStyle: 'full', timeStyle: 'long', hourCycle: 'h23' }),
};
const calendarFormatOf = createZoneFormats({ year: 'numeric', month: '2-digit', day: '2-digit' });

/** The date on the team's calendar, as midnight UTC of that date. */
const calendarDay = (instant: number, timeZone: string): number =>
  Date.parse(`${calendarFormatOf(timeZone).format(instant)} UTC`);

/** The day in words: "Today", "Yesterday", "Nov 9", or "Nov 9, 2025" in any other year. */
const dayWords = (instant: number, region: Region): string => {
  const { timeZone, now } = region;
  const [day, today] = [calendarDay(instant, timeZone), calendarDay(now, timeZone)];
  if (day === today) return 'Today';
  return day === today - DAY_MS ? 'Yesterday' : dateWords(instant, region);
};

const EXACT = {
  h12: createZoneFormats({ dateStyle: 'medium', timeStyle: 'long', hourCycle: 'h12' }),
  h23: createZoneFormats({ dateStyle: 'medium', timeStyle: 'long', hourCycle: 'h23' }),
};

const timeTag = (instant: number, { timeZone, hourCycle }: Region, words: string): Html =>
  html`<time datetime="${toIso(instant)}" title="${printTime(IN_FULL[hourCycle](timeZone), instant)}">${words}</time>`;

/** An instant on its own: "Today, 4:43 PM", "Nov 9, 4:43 PM". */
export const moment = (instant: number, region: Region): Html =>
  timeTag(instant, region, `${dayWords(instant, region)}, ${timeWords(instant, region)}`);

const dayInText = (instant: number, region: Region): string =>
  dayWords(instant, region).replace(/^(?:Today|Yesterday)$/, (word) => word.toLowerCase());

/** An instant in a sentence: "today at 4:43 PM", "Nov 9 at 4:43 PM". */
export const momentInText = (instant: number, region: Region): Html =>
  timeTag(instant, region, `${dayInText(instant, region)} at ${timeWords(instant, region)}`);

const agoWords = (instant: number, region: Region): string => {
  const minutes = Math.floor((region.now - instant) / MINUTE_MS);
  if (minutes < 1) return 'just now';
  if (minutes < 60) return `${minutes} min ago`;
  const day = dayInText(instant, region);
  return day === 'today' ? `${Math.floor(minutes / 60)} h ago` : day;
};

/** How long ago: "just now", "2 min ago", "3 h ago", "yesterday", "Nov 9". */
export const agoInText = (instant: number, region: Region): Html => timeTag(instant, region, agoWords(instant, region));

export const momentOrDash = (instant: number | null, region: Region): Html | string =>
  instant === null ? '–' : moment(instant, region);

/** Only the day: "Today", "Dec 3". */
export const dayTag = (instant: number, region: Region): Html => timeTag(instant, region, dayWords(instant, region));

/** Only the time: "4:43 PM". */
export const timeOf = (instant: number, region: Region): Html => timeTag(instant, region, timeWords(instant, region));

/** Only the time, to the second, for the events of one call. */
export const clockTime = (instant: number, region: Region): Html =>
  timeTag(instant, region, printTime(SECONDS[region.hourCycle](region.timeZone), instant));

/** An instant for the record, which says the same on any day: "Nov 9, 2026, 4:43:10 PM UTC". */
export const exactMoment = (instant: number, region: Region): Html =>
  timeTag(instant, region, printTime(EXACT[region.hourCycle](region.timeZone), instant));
