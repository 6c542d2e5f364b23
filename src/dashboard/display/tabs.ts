import { type Html, html } from '../../platform/index.ts';

type Tab = {
  href: string;
  name: string;
  isCurrent: boolean;
  /** The number of items. A text if counting stopped at a limit: "99+". */
  count?: number | string | null;
};

const MOST_COUNTED = 999;

/** A count beside a name. */
export const countOf = (count: number | string): Html =>
  html`<span class="count">${typeof count === 'number' && count > MOST_COUNTED ? `${MOST_COUNTED}+` : count}</span>`;

/** Links to different views of the same thing, each with its number of items. */
export const tabs = (label: string, items: readonly Tab[]): Html =>
  html`<nav class="tabs" aria-label="${label}">${items.map(
    ({ href, name, isCurrent, count }) =>
      html`<a href="${href}"${isCurrent && html` aria-current="page"`}>${name}${count !== undefined && count !== null && html` ${countOf(count)}`}</a>`,
  )}</nav>`;
