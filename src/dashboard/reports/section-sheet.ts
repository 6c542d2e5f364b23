import { type Html, html } from '../../platform/index.ts';
import { type Row, type Section, splitRows } from '../../reports/index.ts';

/** A figure with a link to the rows behind it. For screen readers, the link includes the label. */
export const linkedFigure = (label: string, value: string, href: string | null): Html | string =>
  href === null ? value : html`<a href="${href}" aria-label="${label}: ${value}">${value}</a>`;

/** A bar as SVG, because inline styles are forbidden. Hidden from screen readers, because the figure is next to it. */
const barOf = (share: number, outcome: Row['outcome']): Html =>
  html`<svg class="bar"${outcome && html` data-outcome="${outcome}"`} viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><rect width="${(share * 100).toFixed(1)}" height="8"/></svg>`;

const rowOf = ({ label, value, note, share, outcome, evidence }: Row): Html =>
  html`<tr><th scope="row">${label}${note !== null && html` <span class="under">${note}</span>`}</th><td class="number"${share === null && html` colspan="2"`}>${linkedFigure(label, value, evidence)}</td>${share !== null && html`<td class="share">${barOf(share, outcome)}</td>`}</tr>
`;

/** The first few rows, with the rest folded. */
export const foldRows = <One>(rows: readonly One[], draw: (some: readonly One[], name: string) => Html): Html => {
  const { first, rest } = splitRows(rows);
  if (rest.length === 0) return draw(first, '');
  return html`${draw(first, '')}<details class="rest"><summary>Show all ${rows.length}</summary>${draw(rest, ', continued')}</details>`;
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
