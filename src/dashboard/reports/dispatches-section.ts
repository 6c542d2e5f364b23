import { type Html, html } from '../../platform/index.ts';
import type { Recipients, ShownDispatch } from '../../reports/index.ts';
import { moment } from '../moment.ts';
import { stateOf } from './dispatch-state.ts';
import { recipientsLine } from './recipients-line.ts';

const nameOf = ({ channel, state, address }: ShownDispatch): string => {
  if (state === 'skipped') return 'No one';
  return channel === 'slack' ? 'Slack' : (address ?? '–');
};

const rowOf = (dispatch: ShownDispatch, timeZone: string): Html => {
  const { state, problem, nextTryAt, sentAt } = dispatch;
  const { tone, words } = stateOf(state);
  return html`<tr><th scope="row">${nameOf(dispatch)}</th><td><span class="state ${tone}">${words}</span>${sentAt !== null && html` <span class="under">on ${moment(sentAt, timeZone)}</span>`}${problem !== null && html` <span class="under">${problem}</span>`}${nextTryAt !== null && html` <span class="under">next attempt on ${moment(nextTryAt, timeZone)}</span>`}</td></tr>
`;
};

/** Who the report was sent to, when, and why not. */
export const dispatchesSection = (
  dispatches: readonly ShownDispatch[],
  recipients: Recipients,
  timeZone: string,
): Html => html`<section class="sheet">
<h2>Sent to</h2>
${
  dispatches.length === 0
    ? html`<p>This report wasn't sent to anyone.</p>`
    : html`<table class="dispatches"><thead><tr><th scope="col">Recipient</th><th scope="col">Status</th></tr></thead><tbody>
${dispatches.map((dispatch) => rowOf(dispatch, timeZone))}</tbody></table>`
}
<p class="quiet">${recipientsLine('The next report', recipients)}</p>
</section>`;
