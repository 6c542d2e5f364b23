import { type Html, html } from '../../platform/index.ts';
import type { Recipients, ShownDelivery } from '../../reports/index.ts';
import { moment } from '../moment.ts';
import { stateOf } from './delivery-state.ts';
import { recipientsLine } from './recipients-line.ts';

const nameOf = ({ channel, state, address }: ShownDelivery): string => {
  if (state === 'skipped') return 'No one';
  return channel === 'slack' ? 'Slack' : (address ?? '–');
};

const rowOf = (delivery: ShownDelivery, timeZone: string): Html => {
  const { state, problem, nextTryAt, sentAt } = delivery;
  const { tone, words } = stateOf(state);
  return html`<tr><th scope="row">${nameOf(delivery)}</th><td><span class="state ${tone}">${words}</span>${sentAt !== null && html` <span class="under">on ${moment(sentAt, timeZone)}</span>`}${problem !== null && html` <span class="under">${problem}</span>`}${nextTryAt !== null && html` <span class="under">next attempt on ${moment(nextTryAt, timeZone)}</span>`}</td></tr>
`;
};

/** Who the report was sent to, when, and why not. */
export const deliveriesSection = (
  deliveries: readonly ShownDelivery[],
  recipients: Recipients,
  timeZone: string,
): Html => html`<section class="sheet">
<h2>Sent to</h2>
${
  deliveries.length === 0
    ? html`<p>This report wasn't sent to anyone.</p>`
    : html`<table class="deliveries"><thead><tr><th scope="col">Recipient</th><th scope="col">Status</th></tr></thead><tbody>
${deliveries.map((delivery) => rowOf(delivery, timeZone))}</tbody></table>`
}
<p class="quiet">${recipientsLine('The next report', recipients)}</p>
</section>`;
