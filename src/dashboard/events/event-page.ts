import type { AttemptRow, EventView, OpenEndpoint } from '../../events/index.ts';
import { type Html, html } from '../../platform/index.ts';
import { copyable, copyBlock } from '../display/copy-button.ts';
import { moment } from '../display/moment.ts';
import type { Region } from '../display/region.ts';
import { postForm } from '../form.ts';
import type { DashboardPage, MenuEntry } from '../frame.ts';
import { factList, table } from '../parts.ts';
import type { Person } from '../person.ts';
import { endpointLink } from '../settings/endpoints/endpoint-state.ts';
import { attemptRow } from './attempt-parts.ts';
import { eventFacts } from './event-facts.ts';
import { EVENT_TYPE_WORDS } from './event-type-words.ts';

/** The attempts to send the event. Only for admins, as in the API. */
type Sending = { attempts: readonly AttemptRow[]; endpoints: readonly OpenEndpoint[] };

type EventPageView = {
  event: EventView;
  /** The name of the provider that the event is about. Null if it's about none. */
  providerName: string | null;
  sending: Sending | null;
};

const isErased = ({ data }: EventView): boolean => 'erased' in data;

const CALLS: MenuEntry = { path: '/calls', name: 'Calls' };
const INTEGRATIONS: MenuEntry = { path: '/integrations', name: 'Integrations' };

/** The page of the event's subject. Null if the subject has no page. */
const placeOf = (
  { type, data }: EventView,
  providerName: string | null,
): (MenuEntry & { section: MenuEntry }) | null => {
  const [group] = type.split('.');
  const at = (section: MenuEntry, id: unknown, name: string) =>
    typeof id === 'string' ? { section, path: `${section.path}/${encodeURIComponent(id)}`, name } : null;
  if (group === 'call') return at(CALLS, data['id'], 'Call');
  if (group === 'recording') return at(CALLS, data['call'], 'Call');
  if (group === 'provider') return at(INTEGRATIONS, data['provider'], providerName ?? 'Integration');
  return group === 'connection' ? at(INTEGRATIONS, data['provider'], String(data['name'] ?? 'Integration')) : null;
};

/** What a provider reported has the provider's own type as its title. */
const titleOf = ({ type, data }: EventView, providerName: string | null): string => {
  const { type: reported } = data;
  const isReport = type === 'provider.event' && providerName !== null && typeof reported === 'string';
  return isReport ? `${providerName}: ${reported}` : EVENT_TYPE_WORDS[type];
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
  sending.attempts.length > 0 &&
  !isErased(event) &&
  event.type !== 'test' &&
  postForm(person, { action: `/events/${event.id}/resend`, button: 'Send again', kind: 'plain' })
}`;

/** Explains why an event has no data to show. */
const absence = ({ data }: EventView): Html | null => {
  if ('erased' in data) return html`<p>What this event was about has been erased.</p>`;
  return 'unreadable' in data ? html`<p>What this event says can't be decrypted.</p>` : null;
};

/** What the provider sent. */
const payloadPart = ({ id, data }: EventView): Html | null => {
  if (data['payloadUrl'] !== undefined)
    return html`<p><a class="button plain" href="/api/events/${id}/payload" download>Download the payload</a></p>`;
  if (data['payload'] === undefined) return null;
  return html`<details class="raw"><summary>The payload</summary>
<p class="quiet">What the provider sent.</p>
${copyBlock('payload', JSON.stringify(data['payload'], null, 2))}</details>`;
};

const rawPart = (event: EventView): Html =>
  html`<details class="raw"><summary>The event as JSON</summary>
<p class="quiet">Your endpoints and the API get it like this. Times in JSON are in UTC.</p>
${copyBlock('JSON', JSON.stringify(event, null, 2))}</details>`;

/** The page of one event, with the attempts to send it. */
export const eventPage = (person: Person, { event, providerName, sending }: EventPageView): DashboardPage => {
  const { region } = person;
  const absent = absence(event);
  const place = absent ? null : placeOf(event, providerName);
  return {
    title: titleOf(event, providerName),
    under: place ? [place.section, { path: place.path, name: place.name }] : [],
    content: html`<section class="sheet">${factList([
      ['Time', moment(Date.parse(event.timestamp), region)],
      ...eventFacts(event, providerName, region),
      ['Type', html`<code>${event.type}</code>`],
      ['ID', copyable('ID', event.id)],
    ])}
${absent}${place && html`<p><a href="${place.path}">Open the ${place.section === CALLS ? 'call' : 'integration'}</a></p>`}</section>
${sending ? sendingSection(person, event, sending) : html`<p class="quiet">A team admin can see where it was sent, and have it sent again.</p>`}
${!absent && payloadPart(event)}
${!absent && rawPart(event)}`,
  };
};
