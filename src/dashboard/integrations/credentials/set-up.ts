import type { ListedProvider, SetUp } from '../../../integrations/index.ts';
import { type Html, html } from '../../../platform/index.ts';
import { type CredentialsDraft, credentialsForm } from './credentials-form.ts';

export type SetUpView = {
  provider: ListedProvider;
  setUp: SetUp;
  isAdmin: boolean;
  draft: CredentialsDraft | null;
  csrfToken: string;
};

const settingLines = ({ settings }: ListedProvider): Html =>
  html`<pre class="copy"><code>${settings.map((setting) => `${setting}=…`).join('\n')}</code></pre>`;

/** Breaks after a slash, and nowhere else if there is room. */
const callbackBlock = ({ callbackUrl }: ListedProvider): Html =>
  html`<pre class="copy"><code>${callbackUrl.split(/(?<=[^/]\/)(?!\/)/).map((part) => html`${part}<wbr>`)}</code></pre>`;

const scopeList = ({ scopes }: ListedProvider): Html | null =>
  scopes.length === 0
    ? null
    : html`<p>Grant these scopes:</p><ul class="scopes">${scopes.map((scope) => html`<li><code>${scope}</code></li>`)}</ul>`;

/** What a provider needs before anyone can connect it, in order. */
export const setUpSteps = (view: SetUpView): Html => {
  const { provider, setUp, isAdmin, draft, csrfToken } = view;
  const { name } = provider;
  return html`<ol class="set-up-steps">
<li><h2>Register an OAuth app at ${name}</h2>
<p>In its developer settings, use exactly this callback URL:</p>${callbackBlock(provider)}${scopeList(provider)}</li>
<li><h2>Give Patchbay the client ID and secret</h2>
<p>To enable it for all teams, set these two variables and restart Patchbay:</p>${settingLines(provider)}
${
  isAdmin
    ? html`<h3>Or only for your team</h3>${credentialsForm({ provider, client: setUp.client, draft, csrfToken })}`
    : html`<p>To enable it only for your team, a team admin can enter them on this page.</p>`
}</li>
<li><h2>Connect ${name}</h2><p>The Connect button will appear here.</p></li>
</ol>`;
};

const clientInUse = ({ setUp: { client }, provider: { name } }: SetUpView): Html | null =>
  client &&
  (client.of === 'team'
    ? html`<p>Your team has its own OAuth app at ${name}: <code>${client.id}</code></p>`
    : html`<p>Your team uses the OAuth app that your administrator set up for all teams.</p>`);

/** The same for a provider that is already set up: for reference, and for admins to change. */
export const setUpSummary = (view: SetUpView): Html => {
  const { provider, setUp, isAdmin, draft, csrfToken } = view;
  const isOwn = setUp.client?.of === 'team';
  return html`<section class="set-up"><h2>Setup</h2>${clientInUse(view)}
<p class="quiet">Callback URL registered at ${provider.name}:</p>${callbackBlock(provider)}
${
  isAdmin &&
  html`<details${draft ? html` open` : ''}><summary>${isOwn ? "Replace your team's OAuth app" : 'Use your own OAuth app'}</summary>${credentialsForm({ provider, client: setUp.client, draft, csrfToken })}</details>
${isOwn ? html`<p><a href="/integrations/${provider.id}/credentials/remove">Remove your team's OAuth app</a></p>` : ''}`
}</section>`;
};
