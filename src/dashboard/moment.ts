import { type Html, html, toIso } from '../platform/index.ts';

const formats = new Map<string, Intl.DateTimeFormat>();

const formatOf = (timeZone: string): Intl.DateTimeFormat => {
  // Any case is understood, and each way of writing it would be one more.
  const name = timeZone.toLowerCase();
  const known = formats.get(name);
  if (known) return known;
  const made = new Intl.DateTimeFormat('en-GB', { timeZone, dateStyle: 'medium', timeStyle: 'short' });
  formats.set(name, made);
  return made;
};

/** An instant as the team's clock shows it. */
export const moment = (instant: number, timeZone: string): Html =>
  html`<time datetime="${toIso(instant)}">${formatOf(timeZone).format(instant)}</time>`;

export const momentOrDash = (instant: number | null, timeZone: string): Html | string =>
  instant === null ? '–' : moment(instant, timeZone);
