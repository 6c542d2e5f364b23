import { type Html, html } from '../../platform/index.ts';
import { type CallSummary, MOST_COUNTED, type ShownCall } from '../../telephony/index.ts';
import { copyButton } from '../display/copy-button.ts';
import { moment } from '../display/moment.ts';
import { phone } from '../display/phone.ts';
import type { Region } from '../display/region.ts';
import { lengthOf, otherPartyOf, outcomeState, ownLineOf, whoInText } from './call-words.ts';

/** The form that each row's own button submits, and the form of all that are selected. */
export const MARK_ONE = 'mark-one';
export const MARK_SELECTED = 'mark-selected';

const WAYS = {
  inbound: { arrow: '↙', name: 'Inbound, from' },
  outbound: { arrow: '↗', name: 'Outbound, to' },
} as const;

/** A call, and what only some pages know about it. */
type RowCall = CallSummary & Partial<Pick<ShownCall, 'attempts' | 'recording'>>;

/** "99+" where it was counted only up to a limit. */
export const boundedCount = (count: number): string => (count < MOST_COUNTED ? String(count) : `${MOST_COUNTED - 1}+`);

const isWaiting = ({ isUntaken, returnedAt }: CallSummary): boolean => isUntaken && returnedAt === null;

const who = (call: RowCall, region: Region): Html => {
  const { number, name } = otherPartyOf(call);
  const { attempts = 0 } = call;
  const under = [
    ...(name !== null && number !== null ? [html`<span class="copyable">${phone(number, region)}</span>`] : []),
    ...(number === null ? ['number withheld'] : []),
    ...(call.isSimulated ? ['demo call'] : []),
    ...(attempts > 1 ? [`called ${boundedCount(attempts)} times`] : []),
  ];
  const way = WAYS[call.direction];
  return html`<span class="way" aria-hidden="true">${way.arrow}</span><span class="unseen">${way.name} </span><a href="/calls/${call.id}">${name ?? (number === null ? 'Unknown caller' : phone(number, region))}</a>${number !== null && copyButton('number', number)}${
    under.length > 0 &&
    html`<span class="under">${under.map((part, index) => html`${index > 0 && ' · '}${part}`)}</span>`
  }`;
};

/** Leads to the player on the call's page. A script plays it right here instead. */
const playLink = ({ id, recording, hasRecording }: RowCall): Html | false =>
  hasRecording &&
  html`<a class="play" href="/calls/${id}#recordings"${recording && html` data-play="/api/recordings/${recording.id}/audio"`}><span class="unseen">Listen to the recording, </span>${recording && recording.durationMs !== null ? lengthOf(Math.round(recording.durationMs / 1_000)) : 'Listen'}</a>`;

const action = (call: RowCall, region: Region, canMark: boolean): Html | false => {
  const { id, isUntaken, returnedAt } = call;
  if (!isUntaken) return false;
  if (returnedAt !== null) return html`<span class="quiet">Returned</span>`;
  return canMark
    ? html`<button class="plain" form="${MARK_ONE}" name="id" value="${id}">Mark as returned<span class="unseen">: ${whoInText(call, region)}</span></button>`
    : html`<span class="quiet">Not returned</span>`;
};

/** One call in the list. The same for everyone who reads it the same way, so it can be sent to all of them. */
export const callRow = (call: RowCall, region: Region, canMark = true): Html => {
  const { id, startedAt, talkSeconds } = call;
  return html`<tr id="call-${id}" data-at="${startedAt}">
<td class="pick">${canMark && isWaiting(call) && html`<input type="checkbox" name="id" value="${id}" form="${MARK_SELECTED}" aria-label="Select ${whoInText(call, region)}">`}</td>
<th scope="row" class="caller">${who(call, region)}</th>
<td class="when">${moment(startedAt, region)}</td>
<td class="outcome">${outcomeState(call)}</td>
<td class="line">${ownLineOf(call, region)}</td>
<td class="talk">${playLink(call) || (talkSeconds === null ? '–' : lengthOf(talkSeconds))}</td>
<td class="follow">${action(call, region, canMark)}</td>
</tr>`;
};

const HEADS = html`<thead><tr><td class="pick"></td><th scope="col" class="caller">Caller</th><th scope="col" class="when">When</th><th scope="col" class="outcome">Outcome</th><th scope="col" class="line">Number</th><th scope="col" class="talk">Length</th><td class="follow"></td></tr></thead>`;

type Wish = {
  /** The page has the forms that mark calls as returned. */
  canMark?: boolean;
  /** Several can be selected. */
  canPick?: boolean;
};

export const callsTable = (
  calls: readonly RowCall[],
  region: Region,
  { canMark = false, canPick = false }: Wish = {},
): Html =>
  html`<table class="calls${canPick && ' picks'}"><caption class="unseen">Calls, newest first</caption>${HEADS}<tbody>
${calls.map((call) => html`${callRow(call, region, canMark)}\n`)}</tbody></table>`;
