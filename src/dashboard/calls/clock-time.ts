import { type Html, html, toIso } from '../../platform/index.ts';

/** To the second, in the team's time zone: within one call, that is what matters. */
export const createClockTime = (timeZone: string): ((instant: number) => Html) => {
  const format = new Intl.DateTimeFormat('en-GB', { timeZone, timeStyle: 'medium' });
  return (instant) => html`<time datetime="${toIso(instant)}">${format.format(instant)}</time>`;
};
