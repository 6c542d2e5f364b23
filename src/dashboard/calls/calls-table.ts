import { type Html, html } from '../../platform/index.ts';
import type { CallSummary } from '../../telephony/index.ts';
import { moment } from '../display/moment.ts';
import type { Region } from '../display/region.ts';
import { state } from '../parts.ts';
import { type Ends, endsOf, lengthOf, NO_NUMBER, outcomeState } from './call-words.ts';

const WAYS = {
  inbound: { arrow: '↙', name: 'Inbound' },
  outbound: { arrow: '↗', name: 'Outbound' },
} as const;

const tape = html` <span class="tape"><span class="unseen">with a recording</span></span>`;

const nameOf = ({ number, label }: Ends['from']): Html | string => label ?? number ?? NO_NUMBER;

const followUp = ({ isUntaken, returnedAt }: CallSummary): Html | string => {
  if (!isUntaken) return '–';
  return returnedAt === null ? state('warn', 'Not returned') : html`<span class="quiet">Returned</span>`;
};

/** One call in the list. The same for every member, so it can be sent to everyone who is looking. */
export const callRow = (call: CallSummary, region: Region): Html => {
  const { id, direction, startedAt, talkSeconds, hasRecording } = call;
  const way = WAYS[direction];
  const { from, to } = endsOf(call);
  return html`<tr id="call-${id}" data-at="${startedAt}">
<td class="when">${moment(startedAt, region)}</td>
<th scope="row" class="from"><span class="way" aria-hidden="true">${way.arrow}</span><span class="unseen">${way.name}, from </span><a href="/calls/${id}">${nameOf(from)}</a></th>
<td class="to">${nameOf(to)}</td>
<td class="outcome">${outcomeState(call)}${hasRecording && tape}</td>
<td class="number talk">${talkSeconds === null ? '–' : lengthOf(talkSeconds)}</td>
<td class="follow">${followUp(call)}</td>
</tr>`;
};

const HEADS = html`<thead><tr><th scope="col" class="when">When</th><th scope="col" class="from">From</th><th scope="col" class="to">To</th><th scope="col" class="outcome">Outcome</th><th scope="col" class="number talk">Talk time</th><th scope="col" class="follow">Follow-up</th></tr></thead>`;

export const callsTable = (calls: readonly CallSummary[], region: Region): Html =>
  html`<table class="calls"><caption class="unseen">Calls, newest first</caption>${HEADS}<tbody>
${calls.map((call) => html`${callRow(call, region)}\n`)}</tbody></table>`;
