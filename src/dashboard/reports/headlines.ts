import { type Html, html } from '../../platform/index.ts';
import { headlinesOf, type ShownReport } from '../../reports/index.ts';
import { linkedFigure } from './section-sheet.ts';

/** The most important figures. */
export const headlines = (report: ShownReport): Html => html`<dl class="headlines">
${headlinesOf(report).map(
  ({ label, value, note, href, isBad }) =>
    html`<div><dt>${label}</dt><dd${isBad && html` class="bad"`}>${linkedFigure(label, value, href)}${note !== null && html` <span class="under">${note}</span>`}</dd></div>
`,
)}</dl>`;
