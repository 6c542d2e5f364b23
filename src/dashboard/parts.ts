import { type Html, html } from '../platform/index.ts';

export type Tone = 'good' | 'warn' | 'bad' | 'none';

/** A state, in color and in words. `now` marks a state that will soon change. */
export const state = (tone: Tone, words: Html | string, now = false): Html =>
  html`<span class="state${tone !== 'none' && ` ${tone}`}${now && ' now'}">${words}</span>`;

/** A heading with a link next to it. */
export const sectionHead = (title: string, href: string, more: string): Html =>
  html`<div class="head"><h2>${title}</h2><a href="${href}">${more}</a></div>`;

type Fact = readonly [label: string, value: Html | string | number | null | undefined | false];

/** A list of labels and values. Entries without a value are left out. */
export const factList = (facts: readonly Fact[]): Html =>
  html`<dl>${facts.map(([label, value]) => (value || value === 0) && html`<dt>${label}</dt><dd>${value}</dd>\n`)}</dl>`;

type Table = {
  /** The table's name for screen readers. */
  label: string;
  kind: string;
  /** The column heads. Null for a column of actions, false for no column. */
  heads: readonly (string | Html | null | false)[];
  rows: readonly Html[];
};

const headCell = (head: Table['heads'][number]): Html | false => {
  if (head === null) return html`<td></td>`;
  return typeof head === 'string' ? html`<th scope="col">${head}</th>` : head;
};

/** A table that scrolls sideways if it's too wide for the screen, also by keyboard. */
export const table = ({ label, kind, heads, rows }: Table): Html =>
  html`<div class="scroll" tabindex="0" role="region" aria-label="${label}"><table class="${kind}">
<thead><tr>${heads.map(headCell)}</tr></thead>
<tbody>${rows}</tbody></table></div>`;

type Steps = {
  /** The page's path, with the query that all pages of the list have in common. */
  path: string;
  /** The cursor of the current page. */
  cursor: string | undefined;
  nextCursor: string | null;
  words?: { first: string; next: string };
  /** The name of the cursor in the query, for a page with several lists. */
  name?: string;
  /** The list's ID, if it isn't at the top of the page. */
  anchor?: string;
};

const NEWEST_FIRST = { first: 'Newest', next: 'Older' };

/** The links to other pages of a list. Null if the list has only one page. */
export const pageSteps = (steps: Steps): Html | null => {
  const { path, cursor, nextCursor, words = NEWEST_FIRST, name = 'cursor', anchor } = steps;
  const place = anchor === undefined ? '' : `#${anchor}`;
  return cursor === undefined && nextCursor === null
    ? null
    : html`<p class="row">${cursor !== undefined && html`<a href="${path}${place}">${words.first}</a>`}${
        nextCursor !== null &&
        html`<a rel="next" href="${path}${path.includes('?') ? '&' : '?'}${name}=${nextCursor}${place}">${words.next}</a>`
      }</p>`;
};
