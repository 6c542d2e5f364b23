import { type Html, html } from '../../platform/index.ts';

/** A figure links to the rows behind it. For screen readers, the link says what it counts. */
export const linkedFigure = (label: string, value: string, href: string | null): Html | string =>
  href === null ? value : html`<a href="${href}" aria-label="${label}: ${value}">${value}</a>`;
