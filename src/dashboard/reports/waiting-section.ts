import { type Html, html } from '../../platform/index.ts';
import type { Row } from '../../reports/index.ts';
import { phoneLink, phoneWords } from '../display/phone.ts';
import type { Region } from '../display/region.ts';
import { foldRows, linkedFigure } from './section-sheet.ts';

/** The number, as a link to call it, after the name if there is one. */
const callerCell = (label: string, phone: string | null | undefined, region: Region): Html | string => {
  const link = phoneLink(phone ?? null, region);
  if (!link || !phone) return label;
  const name = label.slice(0, -phoneWords(phone, region).length).replace(/, $/, '');
  return label.endsWith(phoneWords(phone, region)) && name !== '' ? html`${name} ${link}` : link;
};

const rowOf = ({ label, phone, value, note, evidence }: Row, region: Region): Html =>
  html`<tr><th scope="row">${callerCell(label, phone, region)}</th><td>${linkedFigure(label, value, evidence)}</td><td>${note}</td></tr>
`;

const waitingTable = (callers: readonly Row[], region: Region): Html =>
  html`<table class="waiting"><thead><tr><th scope="col">Caller</th><th scope="col">First called</th><th scope="col">Outcome</th></tr></thead><tbody>
${callers.map((row) => rowOf(row, region))}</tbody></table>`;

/** `isOver`: whether the week is over. */
type Shown = { isOver: boolean; region: Region };

/** Lists the callers who are still waiting, oldest first. */
export const waitingSection = ([total, ...callers]: readonly Row[], { isOver, region }: Shown): Html =>
  callers.length === 0
    ? html`<section class="sheet" id="waiting"><h2>Waiting for a call back</h2><p>${isOver ? 'No one was waiting when the report was created.' : 'No one is waiting.'}</p></section>`
    : html`<section class="sheet" id="waiting">
<div class="head"><h2>Waiting for a call back</h2><p><a href="${total?.evidence}">See who's waiting now</a></p></div>
<p class="quiet">${total?.value} ${total?.value === '1' ? 'call' : 'calls'}${total?.note && html` ${total.note}`}${isOver ? ' when the report was created' : ' so far'}, oldest first.</p>
${foldRows(callers, (some) => waitingTable(some, region))}
</section>`;
