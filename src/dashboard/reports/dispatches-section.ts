import type { DispatchState } from '../../notices/index.ts';
import { type Html, html } from '../../platform/index.ts';
import type { ListedWeek, Recipients, ShownDispatch } from '../../reports/index.ts';
import { momentInText } from '../display/moment.ts';
import type { Region } from '../display/region.ts';
import { state, type Tone } from '../parts.ts';
import { recipientsLine } from './recipients-line.ts';

const STATES: Record<DispatchState, readonly [tone: Tone, words: string]> = {
  queued: ['warn', 'on its way'],
  sending: ['warn', 'sending'],
  sent: ['good', 'sent'],
  unclear: ['warn', 'maybe sent'],
  failed: ['bad', 'not sent'],
  unsubscribed: ['none', 'unsubscribed'],
  skipped: ['none', 'no recipients'],
};

const dispatchState = (dispatch: DispatchState): Html => state(...STATES[dispatch]);

/** The states by importance. Those that need attention come first. */
const BY_WEIGHT: readonly DispatchState[] = ['failed', 'unclear', 'queued', 'sending', 'sent'];

/** Sums up all dispatches of a week in a few words. */
export const weekState = (dispatches: ListedWeek['dispatches']): Html => {
  const total = dispatches.reduce((sum, one) => sum + one.dispatches, 0);
  const heaviest = BY_WEIGHT.map((one) => dispatches.find(({ state }) => state === one)).find(Boolean);
  if (!heaviest) return dispatchState('skipped');
  const [tone, words] = STATES[heaviest.state];
  if (heaviest.state === 'sent') return state(tone, `sent to ${heaviest.dispatches}`);
  return state(tone, `${heaviest.dispatches} of ${total} ${words}`);
};

const nameOf = ({ channel, state, address }: ShownDispatch): string => {
  if (state === 'skipped') return 'No one';
  return channel === 'slack' ? 'Slack' : (address ?? '–');
};

const rowOf = (dispatch: ShownDispatch, region: Region): Html => {
  const { problem, nextTryAt, sentAt } = dispatch;
  return html`<tr><th scope="row">${nameOf(dispatch)}</th><td>${dispatchState(dispatch.state)}${sentAt !== null && html` <span class="under">${momentInText(sentAt, region)}</span>`}${problem !== null && html` <span class="under">${problem}</span>`}${nextTryAt !== null && html` <span class="under">next attempt ${momentInText(nextTryAt, region)}</span>`}</td></tr>
`;
};

/** Lists the recipients of a report, when it was sent to each, or why it wasn't. */
export const dispatchesSection = (
  dispatches: readonly ShownDispatch[],
  recipients: Recipients,
  region: Region,
): Html => html`<section class="sheet">
<h2>Sent to</h2>
${
  dispatches.length === 0
    ? html`<p>This report wasn't sent to anyone.</p>`
    : html`<table class="dispatches"><thead><tr><th scope="col">Recipient</th><th scope="col">Status</th></tr></thead><tbody>
${dispatches.map((dispatch) => rowOf(dispatch, region))}</tbody></table>`
}
<p class="quiet">${recipientsLine('The next report', recipients)}</p>
</section>`;
