import { type Html, html } from '../../platform/index.ts';

/** A figure leads to the rows behind it. Read aloud as a link among others, it says what it counts. */
export const linkedFigure = (label: string, value: string, href: string | null): Html | string =>
  href === null ? value : html`<a href="${href}" aria-label="${label}: ${value}">${value}</a>`;
