import { type Html, html } from '../../platform/index.ts';

export type Tab = { href: string; name: string; isCurrent: boolean; count?: number | null };

const MOST_COUNTED = 999;

/** A number beside a name. */
export const countOf = (count: number): Html =>
  html`<span class="count">${count > MOST_COUNTED ? `${MOST_COUNTED}+` : count}</span>`;

/** Links to views of the same thing, each with how much is in it. */
export const tabs = (label: string, items: readonly Tab[]): Html =>
  html`<nav class="tabs" aria-label="${label}">${items.map(
    ({ href, name, isCurrent, count }) =>
      html`<a href="${href}"${isCurrent && html` aria-current="page"`}>${name}${typeof count === 'number' && html` ${countOf(count)}`}</a>`,
  )}</nav>`;
