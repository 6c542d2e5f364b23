import { type Html, html } from '../platform/index.ts';

type Steps = {
  path: string;
  /** The cursor of the current page. */
  cursor: string | undefined;
  nextCursor: string | null;
  words: { first: string; next: string };
  /** The name of the cursor in the query, for a page with several lists. */
  name?: string;
};

/** Below a list that has more pages. */
export const pageSteps = ({ path, cursor, nextCursor, words, name = 'cursor' }: Steps): Html | string =>
  cursor === undefined && nextCursor === null
    ? ''
    : html`<p class="row">${cursor === undefined ? '' : html`<a href="${path}">${words.first}</a>`}${
        nextCursor === null ? '' : html`<a rel="next" href="${path}?${name}=${nextCursor}">${words.next}</a>`
      }</p>`;
