import { type Html, html } from '../../platform/index.ts';
import type { Row } from '../../reports/index.ts';
import { linkedFigure } from './linked-figure.ts';

/** Whoever waits can be called from here. */
const callerOf = (label: string): Html | string =>
  /^\+\d{5,15}$/.test(label) ? html`<a href="tel:${label}">${label}</a>` : label;

const rowOf = ({ label, value, note, evidence }: Row): Html =>
  html`<tr><th scope="row">${callerOf(label)}</th><td>${linkedFigure(label, value, evidence)}</td><td>${note}</td></tr>
`;

/** What must be done: who called and was reached by nobody, the oldest first. */
export const waitingSection = ([total, ...callers]: readonly Row[]): Html =>
  callers.length === 0
    ? html`<section class="sheet" id="waiting"><h2>Waiting for a call back</h2><p>Nobody was waiting when the report was made.</p></section>`
    : html`<section class="sheet" id="waiting">
<div class="head"><h2>Waiting for a call back</h2><p><a href="${total?.evidence}">Who waits now</a></p></div>
<p class="quiet">${total?.value} when the report was made, the oldest first.</p>
<table class="waiting"><thead><tr><th scope="col">Caller</th><th scope="col">Called on</th><th scope="col">Ended as</th></tr></thead><tbody>
${callers.map(rowOf)}</tbody></table>
</section>`;
