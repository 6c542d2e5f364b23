import { type Html, html } from '../../platform/index.ts';
import type { Row, Section } from '../../reports/index.ts';

/** A figure links to the rows behind it. For screen readers, the link says what it counts. */
export const linkedFigure = (label: string, value: string, href: string | null): Html | string =>
  href === null ? value : html`<a href="${href}" aria-label="${label}: ${value}">${value}</a>`;

/** Drawn, since inline styles are forbidden. Hidden from screen readers: the figure is next to it. */
const barOf = (share: number): Html =>
  html`<svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><rect width="${(share * 100).toFixed(1)}" height="8"/></svg>`;

const rowOf = ({ label, value, note, share, evidence }: Row): Html =>
  html`<tr><th scope="row">${label}${note !== null && html` <span class="under">${note}</span>`}</th><td class="number"${share === null && html` colspan="2"`}>${linkedFigure(label, value, evidence)}</td>${share !== null && html`<td class="share">${barOf(share)}</td>`}</tr>
`;

const FEW = 5;

/** The first few rows, and a fold with the rest. One more than a few needs no fold. */
export const foldRows = <One>(rows: readonly One[], draw: (some: readonly One[], name: string) => Html): Html => {
  if (rows.length <= FEW + 1) return draw(rows, '');
  return html`${draw(rows.slice(0, FEW), '')}<details class="rest"><summary>Show all ${rows.length}</summary>${draw(rows.slice(FEW), ', continued')}</details>`;
};

export const rowsTable = (title: string, rows: readonly Row[]): Html =>
  foldRows(
    rows,
    (some, name) => html`<table class="figures" aria-label="${title}${name}"><tbody>
${some.map(rowOf)}</tbody></table>`,
  );

export const sectionSheet = ({ title, rows }: Section): Html => html`<section class="sheet">
<h2>${title}</h2>
${rowsTable(title, rows)}
</section>`;
