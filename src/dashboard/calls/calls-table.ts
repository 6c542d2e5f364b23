import { type Html, html } from '../../platform/index.ts';
import { MOST_COUNTED, type ShownCall } from '../../telephony/index.ts';
import { copyButton } from '../display/copy-button.ts';
import { moment } from '../display/moment.ts';
import { phone } from '../display/phone.ts';
import type { Region } from '../display/region.ts';
import { tabsOf } from './call-filter.ts';
import { lengthText, otherPartyOf, outcomeState, ownLineOf, whoInText } from './call-words.ts';

/** The form that a row's own button submits, and the form for all selected calls. */
export const MARK_ONE = 'mark-one';
export const MARK_SELECTED = 'mark-selected';

const WAYS = {
  inbound: { arrow: '↙', name: 'Inbound, from' },
  outbound: { arrow: '↗', name: 'Outbound, to' },
} as const;

/** Formats a count that stops at a limit: "99+". */
export const boundedCount = (count: number): string => (count < MOST_COUNTED ? String(count) : `${MOST_COUNTED - 1}+`);

/** Formats the number of messages. "40+" if not all waiting callers were counted. */
export const messageCount = ({ callers, messages }: { callers: number; messages: number }): string =>
  callers < MOST_COUNTED || messages === MOST_COUNTED ? boundedCount(messages) : `${messages}+`;

const who = (call: ShownCall, region: Region): Html => {
  const { number, name } = otherPartyOf(call);
  const { attempts } = call;
  const under = [
    ...(name !== null && number !== null ? [html`<span class="copyable">${phone(number, region)}</span>`] : []),
    ...(number === null ? ['number withheld'] : []),
    ...(call.isSimulated ? ['demo call'] : []),
    ...(call.isFirst ? ['new caller'] : []),
    ...(attempts > 1 ? [`called ${boundedCount(attempts)} times`] : []),
  ];
  const way = WAYS[call.direction];
  return html`<span class="way" aria-hidden="true">${way.arrow}</span><span class="unseen">${way.name} </span><a href="/calls/${call.id}">${name ?? (number === null ? 'Unknown caller' : phone(number, region))}</a>${number !== null && copyButton('number', number)}${
    under.length > 0 &&
    html`<span class="under">${under.map((part, index) => html`${index > 0 && ' · '}${part}`)}</span>`
  }`;
};

/** A link to the player on the call's page. With JavaScript, it plays in the list instead. */
const playLink = ({ id, recording, hasRecording }: ShownCall): Html | false =>
  hasRecording &&
  html`<a class="play" href="/calls/${id}#recordings"${recording && html` data-play="/api/recordings/${recording.id}/audio"`}><span class="unseen">Listen to the recording, </span>${recording && recording.durationMs !== null ? lengthText(Math.round(recording.durationMs / 1_000)) : 'Listen'}</a>`;

/** The beginning of what a machine heard in the call. */
const heardLine = ({ heard }: ShownCall): Html | false =>
  heard !== null &&
  html`<span class="under heard-line"><span class="unseen">A machine heard: </span><q>${heard}</q></span>`;

const action = (call: ShownCall, region: Region): Html | false => {
  if (call.returnedAt !== null) return html`<span class="quiet">Returned</span>`;
  return (
    call.isWaiting &&
    html`<button class="plain" form="${MARK_ONE}" name="id" value="${call.id}">Mark as returned<span class="unseen">: ${whoInText(call, region)}</span></button>`
  );
};

/** The lists that show a new row: tabs, and Home, which leaves out demo calls if the team has its own account. */
const placesOf = (call: ShownCall): string => [...tabsOf(call), ...(call.isCounted ? ['home'] : [])].join(' ');

/**
 * One call in the list. Depends only on the region, so that one row can be sent to all viewers with the same region.
 */
export const callRow = (call: ShownCall, region: Region): Html => {
  const { id, startedAt, talkSeconds, isWaiting } = call;
  return html`<tr id="call-${id}" data-at="${startedAt}" data-tabs="${placesOf(call)}" data-caller="${otherPartyOf(call).number}">
<td class="pick">${isWaiting && html`<input type="checkbox" name="id" value="${id}" form="${MARK_SELECTED}" aria-label="Select ${whoInText(call, region)}">`}</td>
<th scope="row" class="caller">${who(call, region)}</th>
<td class="when">${moment(startedAt, region)}</td>
<td class="outcome">${outcomeState(call)}${heardLine(call)}</td>
<td class="line">${ownLineOf(call, region)}</td>
<td class="talk">${playLink(call) || (talkSeconds === null ? '–' : lengthText(talkSeconds))}</td>
<td class="follow">${action(call, region)}</td>
</tr>`;
};

const HEADS = html`<thead><tr><td class="pick"></td><th scope="col" class="caller">Caller</th><th scope="col" class="when">When</th><th scope="col" class="outcome">Outcome</th><th scope="col" class="line">Number</th><th scope="col" class="talk">Length</th><td class="follow"></td></tr></thead>`;

/** The table of calls. `canPick`: rows have checkboxes. The page must contain the forms that mark calls as returned. */
export const callsTable = (
  calls: readonly ShownCall[],
  region: Region,
  { canPick = false, isOldestFirst = false } = {},
): Html =>
  html`<table class="calls${canPick && ' picks'}"><caption class="unseen">Calls, ${isOldestFirst ? 'oldest' : 'newest'} first</caption>${HEADS}<tbody>
${calls.map((call) => html`${callRow(call, region)}\n`)}</tbody></table>`;
