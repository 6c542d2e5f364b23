import { type Html, html } from '../../../platform/index.ts';
import { showText } from '../../display/shown-text.ts';
import type { SaidRight } from './rights-words.ts';

/** How many characters of paths stand beside the words. More are folded up. */
const MOST_BESIDE = 100;

const line = ({ words, paths }: SaidRight): Html => {
  if (paths.length === 0) return html`<div>${showText(words)}</div>`;
  const beside = paths.join(' ');
  if (beside.length <= MOST_BESIDE) return html`<div>${showText(words)}: ${beside}</div>`;
  const count = paths.length === 1 ? 'one path' : `${paths.length} paths`;
  return html`<details><summary>${showText(words)}: ${count}</summary>${paths.map((path) => html`<div>${path}</div>`)}</details>`;
};

/** What a token can do, a line for each thing. */
export const rightsLines = (rights: readonly SaidRight[]): Html =>
  html`<div class="rights-lines">${rights.map(line)}</div>`;
