import { DEFAULT_CONNECTION, type UsedCredential } from '../../integrations/index.ts';
import { type Html, html } from '../../platform/index.ts';
import { moment } from '../display/moment.ts';
import type { Region } from '../display/region.ts';
import type { DashboardPage } from '../frame.ts';
import { pageSteps, table } from '../parts.ts';
import type { Person } from '../person.ts';
import type { RequestsView } from './load-requests.ts';
import { noRequests } from './no-requests.ts';
import { requestsAddress } from './request-filter.ts';
import { placesAbove } from './request-places.ts';
import { connectionWords, personWords, requestWords, resultPill, tokenWords, tookWords } from './request-words.ts';
import { requestsForm } from './requests-form.ts';

/** How much of a path a row shows. The page of the request shows all of it. */
const MOST_PATH = 80;

const row = (request: UsedCredential, { query, people, providers }: RequestsView, region: Region): Html => {
  const { id, at, ms, by } = request;
  const [token, person] = [tokenWords(by), personWords(by, people)];
  const isNamed = query.provider && query.connection;
  return html`<tr><th scope="row"><a href="/requests/${id}">${requestWords(request, MOST_PATH)}</a>${!isNamed && html`<span class="under">${connectionWords(request, providers)}</span>`}</th>
<td data-label="When">${moment(Date.parse(at), region)}</td><td data-label="Status">${resultPill(request)}</td><td data-label="Took">${ms === null ? '–' : tookWords(ms)}</td>
<td data-label="By">${token === null ? person : html`${token}<span class="under">${person}</span>`}</td></tr>
`;
};

const list = (view: RequestsView, region: Region): Html =>
  view.requests.length === 0
    ? noRequests(view)
    : table({
        label: 'Requests',
        kind: 'stack requests',
        heads: ['Request', 'When', 'Status', 'Took', 'By'],
        rows: view.requests.map((request) => row(request, view, region)),
      });

/** Whose requests the page lists: "Requests to GitHub (work)", "Requests by deploy". */
const titleOf = ({ query, providers, chosen }: RequestsView): string => {
  const { provider, connection = DEFAULT_CONNECTION } = query;
  if (provider) return `Requests to ${connectionWords({ provider, connection }, providers)}`;
  return chosen === null ? 'Requests' : `Requests by ${chosen}`;
};

/** The list of what was requested with a connection, or by a caller. */
export const requestsPage = ({ region }: Person, view: RequestsView): DashboardPage => {
  const { query, nextCursor, providers } = view;
  return {
    title: titleOf(view),
    under: placesAbove(query, providers),
    content: html`<p class="lead">Every use of the credential in the last seven days, newest first. Queries and bodies aren't kept.</p>
${requestsForm(view)}
${list(view, region)}
${pageSteps({ path: requestsAddress(query), cursor: query.cursor || undefined, nextCursor })}`,
  };
};
