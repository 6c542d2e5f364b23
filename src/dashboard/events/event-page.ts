import type { AttemptRow, EventView, OpenEndpoint } from '../../events/index.ts';
import { type Html, html } from '../../platform/index.ts';
import { copyable } from '../display/copy-button.ts';
import { moment } from '../display/moment.ts';
import type { Region } from '../display/region.ts';
import { postForm } from '../form.ts';
import type { DashboardPage } from '../frame.ts';
import { factList, table } from '../parts.ts';
import type { Person } from '../person.ts';
import { endpointLink } from '../settings/endpoints/endpoint-state.ts';
import { attemptRow } from './attempt-parts.ts';
import { dataList } from './event-data.ts';
import { EVENT_TYPE_WORDS } from './event-type-words.ts';

/** How it was sent, which is for admins, as in the API. */
type Sending = { attempts: readonly AttemptRow[]; endpoints: readonly OpenEndpoint[] };

type EventPageView = { event: EventView; sending: Sending | null };

const isErased = ({ data }: EventView): boolean => 'erased' in data;

/** Where the thing itself is shown. Null if it has no page of its own. */
const placeOf = ({ type, data }: EventView): { path: string; words: string } | null => {
  const [group] = type.split('.');
  const at = (path: string, id: unknown, words: string) =>
    typeof id === 'string' ? { path: `${path}/${encodeURIComponent(id)}`, words } : null;
  if (group === 'call') return at('/calls', data['id'], 'Open the call');
  if (group === 'recording') return at('/calls', data['call'], 'Open the call');
  return group === 'connection' ? at('/integrations', data['provider'], 'Open the integration') : null;
};

const dataSection = (event: EventView): Html => {
  const place = isErased(event) ? null : placeOf(event);
  return html`<section class="sheet"><h2>What it says</h2>
${isErased(event) ? html`<p>What this event was about has been erased.</p>` : dataList(event.data)}
${place && html`<p><a href="${place.path}">${place.words}</a></p>`}</section>`;
};

const endpointCell = (endpoints: readonly OpenEndpoint[], id: string): Html => {
  const known = endpoints.find(({ endpoint }) => endpoint.id === id);
  return html`<td data-label="Endpoint">${known ? endpointLink(known) : 'a deleted endpoint'}</td>`;
};

const attemptsSection = ({ attempts, endpoints }: Sending, region: Region): Html =>
  attempts.length === 0
    ? html`<p class="quiet">It hasn't been sent anywhere. <a href="/settings/endpoints">Endpoints</a> get what happens after they were added.</p>`
    : table({
        label: 'Attempts',
        kind: 'stack',
        heads: ['Time', 'Endpoint', 'Result', 'Duration', 'Error'],
        rows: attempts.map((attempt) => attemptRow(attempt, endpointCell(endpoints, attempt.endpointId), region)),
      });

const sendingSection = (person: Person, event: EventView, sending: Sending): Html =>
  html`<h2>Attempts to send it</h2>
${attemptsSection(sending, person.region)}
${
  !isErased(event) &&
  event.type !== 'test' &&
  postForm(person, { action: `/events/${event.id}/resend`, button: 'Send again', kind: 'plain' })
}`;

/** One event, and what became of it. */
export const eventPage = (person: Person, { event, sending }: EventPageView): DashboardPage => ({
  title: EVENT_TYPE_WORDS[event.type],
  content: html`<section class="sheet">${factList([
    ['Type', html`<code>${event.type}</code>`],
    ['Time', moment(Date.parse(event.timestamp), person.region)],
    ['Number', html`${event.sequence} <span class="quiet">in your team's log</span>`],
    ['ID', copyable('ID', event.id)],
  ])}</section>
${dataSection(event)}
${sending ? sendingSection(person, event, sending) : html`<p class="quiet">A team admin can see where it was sent, and have it sent again.</p>`}`,
});
