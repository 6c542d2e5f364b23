import type { EndpointInput, OpenEndpoint } from '../../../events/index.ts';
import { type Html, html } from '../../../platform/index.ts';
import { copyBlock } from '../../display/copy-button.ts';
import { momentOrDash } from '../../display/moment.ts';
import type { Region } from '../../display/region.ts';
import { postForm } from '../../form.ts';
import type { DashboardPage } from '../../frame.ts';
import { table } from '../../parts.ts';
import type { Person } from '../../person.ts';
import { endpointFieldset } from './endpoint-form.ts';
import { ENDPOINTS, endpointLink, endpointState, wantedTypesText } from './endpoint-state.ts';
import { repairCommands } from './repair-commands.ts';

export const NEW_ENDPOINT: EndpointInput = { url: '', types: ['*'], description: '' };

const ABOUT =
  'An endpoint is a URL of your own. Patchbay sends it a signed request whenever something happens in your team: a connection breaks, a call is missed, a report is ready.';

const listening = html`<p>While you develop, you need neither an endpoint nor a public URL. This sends events to your machine as they happen:</p>
${copyBlock('command', 'npm run patchbay -- listen --forward-to http://localhost:4000/hook')}`;

const firstSteps = html`<div class="empty first-steps"><h2>Let your programs know what happens</h2>
<p>${ABOUT}</p>
<ol>
<li><strong>Add an endpoint</strong> below, with the URL of your program.</li>
<li><strong>Verify each request</strong> with the secret that you get. It's shown once.</li>
<li><strong>Send a test</strong> and see what your program responds.</li>
</ol>
${listening}
<p>What each event says, and how failures are repeated, is in <code>docs/events.md</code>, which comes with Patchbay. The <a href="/docs">API docs</a> have the requests to do all of this from a program.</p></div>`;

const row = (opened: OpenEndpoint, region: Region): Html => {
  const { endpoint } = opened;
  return html`<tr><th scope="row">${endpointLink(opened)}${endpoint.description && html`<span class="under">${endpoint.description}</span>`}</th>
<td data-label="Sends">${wantedTypesText(endpoint)}</td><td data-label="State">${endpointState(endpoint, region)}</td>
<td data-label="Last success">${momentOrDash(endpoint.lastSuccessAt, region)}</td><td data-label="Last failure">${momentOrDash(endpoint.lastFailureAt, region)}</td></tr>
`;
};

const list = (label: string, endpoints: readonly OpenEndpoint[], region: Region): Html =>
  table({
    label,
    kind: 'stack',
    heads: ['Address', 'Sends', 'State', 'Last success', 'Last failure'],
    rows: endpoints.map((endpoint) => row(endpoint, region)),
  });

const operatorsSection = ({ url, operators }: EndpointsView, region: Region): Html =>
  html`<section id="customers"><h2>For all customers</h2>
<p class="lead">These belong to the product that embeds Patchbay, and get what happens in its customers' teams. That's why only the operator token can change them.</p>
${list('Endpoints for all customers', operators, region)}
${operators.map((opened) => repairCommands(url, opened))}</section>`;

export type EndpointsView = {
  /** The public base URL. */
  url: string;
  endpoints: readonly OpenEndpoint[];
  /** The operator's endpoints, which only the first team sees. */
  operators: readonly OpenEndpoint[];
  form: EndpointInput;
};

export const endpointsPage = (person: Person, view: EndpointsView): DashboardPage => {
  const { endpoints, operators, form } = view;
  const { region } = person;
  return {
    title: 'Endpoints',
    content: html`${endpoints.length === 0 ? firstSteps : html`<p class="lead">${ABOUT}</p>\n${list('Endpoints', endpoints, region)}`}
<section class="sheet"><h2>Add an endpoint</h2>
<p class="lead">It gets what happens from now on.</p>
${postForm(person, { action: ENDPOINTS, button: 'Add endpoint', content: endpointFieldset(form) })}</section>
${endpoints.length > 0 && listening}
${operators.length > 0 && operatorsSection(view, region)}`,
  };
};

/** The page for members. Only admins see URLs and results, as in the API. */
export const endpointsForMembers: DashboardPage = {
  title: 'Endpoints',
  content: html`<div class="empty first-steps"><h2>Only admins can see and change endpoints</h2>
<p>${ABOUT}</p>
<p>Ask an admin of your team if one of your programs needs to know. As a member, you can read the same events through the API (<code>GET /api/events</code>) with an <a href="/settings/tokens">access token</a>.</p></div>`,
};
