import { type Html, html } from '../../platform/index.ts';
import type { Row } from '../../reports/index.ts';
import { linkedFigure } from './linked-figure.ts';

/** Callers can be called back from here. */
const callerOf = (label: string): Html | string =>
  /^\+\d{5,15}$/.test(label) ? html`<a href="tel:${label}">${label}</a>` : label;

const rowOf = ({ label, value, note, evidence }: Row): Html =>
  html`<tr><th scope="row">${callerOf(label)}</th><td>${linkedFigure(label, value, evidence)}</td><td>${note}</td></tr>
`;

/** What needs to be done: who called and is still waiting, oldest first. */
export const waitingSection = ([total, ...callers]: readonly Row[]): Html =>
  callers.length === 0
    ? html`<section class="sheet" id="waiting"><h2>Waiting for a call back</h2><p>No one was waiting when the report was made.</p></section>`
    : html`<section class="sheet" id="waiting">
<div class="head"><h2>Waiting for a call back</h2><p><a href="${total?.evidence}">See who's waiting now</a></p></div>
<p class="quiet">${total?.value} when the report was made, oldest first.</p>
<table class="waiting"><thead><tr><th scope="col">Caller</th><th scope="col">Called at</th><th scope="col">Outcome</th></tr></thead><tbody>
${callers.map(rowOf)}</tbody></table>
</section>`;
