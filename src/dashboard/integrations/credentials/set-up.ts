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

/** It may break after a slash, and nowhere else while there is room. */
const callbackBlock = ({ callbackUrl }: ListedProvider): Html =>
  html`<pre class="copy"><code>${callbackUrl.split(/(?<=[^/]\/)(?!\/)/).map((part) => html`${part}<wbr>`)}</code></pre>`;

const scopeList = ({ scopes }: ListedProvider): Html | null =>
  scopes.length === 0
    ? null
    : html`<p>Allow it to ask for:</p><ul class="scopes">${scopes.map((scope) => html`<li><code>${scope}</code></li>`)}</ul>`;

/** What a provider needs before anybody can connect it, in the order in which it is done. */
export const setUpSteps = (view: SetUpView): Html => {
  const { provider, setUp, isAdmin, draft, csrfToken } = view;
  const { name } = provider;
  return html`<ol class="set-up-steps">
<li><h2>Register an app at ${name}</h2>
<p>In its settings for developers, with exactly this callback address:</p>${callbackBlock(provider)}${scopeList(provider)}</li>
<li><h2>Give Patchbay the client id and secret</h2>
<p>For every team, the operator sets these two and starts Patchbay again:</p>${settingLines(provider)}
${
  isAdmin
    ? html`<h3>Or for your team alone</h3>${credentialsForm({ provider, client: setUp.client, draft, csrfToken })}`
    : html`<p>For your team alone, an admin of the team can enter them on this page.</p>`
}</li>
<li><h2>Connect ${name}</h2><p>The button appears here.</p></li>
</ol>`;
};

const clientInUse = ({ setUp: { client }, provider: { name } }: SetUpView): Html | null =>
  client &&
  (client.of === 'team'
    ? html`<p>Your team has its own client at ${name}: <code>${client.id}</code></p>`
    : html`<p>Your team uses the operator's client.</p>`);

/** The same for a provider that is set up already: to look up, and for admins to change. */
export const setUpSummary = (view: SetUpView): Html => {
  const { provider, setUp, isAdmin, draft, csrfToken } = view;
  const isOwn = setUp.client?.of === 'team';
  return html`<section class="set-up"><h2>Set-up</h2>${clientInUse(view)}
<p class="quiet">Callback address registered at ${provider.name}:</p>${callbackBlock(provider)}
${
  isAdmin &&
  html`<details${draft ? html` open` : ''}><summary>${isOwn ? 'Replace your own client' : 'Use a client of your own'}</summary>${credentialsForm({ provider, client: setUp.client, draft, csrfToken })}</details>
${isOwn ? html`<p><a href="/integrations/${provider.id}/credentials/remove">Remove your own client</a></p>` : ''}`
}</section>`;
};
