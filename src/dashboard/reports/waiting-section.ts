import { type Html, html } from '../../platform/index.ts';
import type { Row } from '../../reports/index.ts';
import { phoneLink } from '../display/phone.ts';
import type { Region } from '../display/region.ts';
import { linkedFigure } from './section-sheet.ts';

const rowOf = ({ label, value, note, evidence }: Row, region: Region): Html =>
  html`<tr><th scope="row">${phoneLink(label, region) ?? label}</th><td>${linkedFigure(label, value, evidence)}</td><td>${note}</td></tr>
`;

/** What needs to be done: who called and is still waiting, oldest first. */
export const waitingSection = ([total, ...callers]: readonly Row[], region: Region): Html =>
  callers.length === 0
    ? html`<section class="sheet" id="waiting"><h2>Waiting for a call back</h2><p>No one was waiting when the report was created.</p></section>`
    : html`<section class="sheet" id="waiting">
<div class="head"><h2>Waiting for a call back</h2><p><a href="${total?.evidence}">See who's waiting now</a></p></div>
<p class="quiet">${total?.value} when the report was created, oldest first.</p>
<table class="waiting"><thead><tr><th scope="col">Caller</th><th scope="col">Called at</th><th scope="col">Outcome</th></tr></thead><tbody>
${callers.map((row) => rowOf(row, region))}</tbody></table>
</section>`;
