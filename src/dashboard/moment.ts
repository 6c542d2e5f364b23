import { type Html, html, toIso } from '../platform/index.ts';

const formats = new Map<string, Intl.DateTimeFormat>();

const formatOf = (timeZone: string): Intl.DateTimeFormat => {
  const known = formats.get(timeZone);
  if (known) return known;
  const made = new Intl.DateTimeFormat('en-GB', { timeZone, dateStyle: 'medium', timeStyle: 'short' });
  formats.set(timeZone, made);
  return made;
};

/** An instant as the team's clock shows it. */
export const moment = (instant: number, timeZone: string): Html =>
  html`<time datetime="${toIso(instant)}">${formatOf(timeZone).format(instant)}</time>`;

export const momentOrDash = (instant: number | null, timeZone: string): Html | string =>
  instant === null ? '–' : moment(instant, timeZone);
