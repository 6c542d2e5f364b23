import { createZoneFormats, type Html, html, toIso } from '../platform/index.ts';

const formatOf = createZoneFormats('en-GB', { dateStyle: 'medium', timeStyle: 'short' });

/** An instant in the team's time zone. */
export const moment = (instant: number, timeZone: string): Html =>
  html`<time datetime="${toIso(instant)}">${formatOf(timeZone).format(instant)}</time>`;

export const momentOrDash = (instant: number | null, timeZone: string): Html | string =>
  instant === null ? '–' : moment(instant, timeZone);
