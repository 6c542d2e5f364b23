import type { ListedProvider, OperatorWebhook, SetUp } from '../../integrations/index.ts';
import { type Html, html } from '../../platform/index.ts';
import { copyBlock } from '../display/copy-button.ts';
import { checkBox, field, postForm, textArea } from '../form.ts';
import type { Person } from '../person.ts';
import { paramFields } from './connecting/connect-form.ts';
import { listScopes } from './connection-story.ts';
import { scopesSection } from './scopes-section.ts';
import { urlBlock } from './url-block.ts';
import { operatorWebhookPart } from './webhooks/operator-webhook.ts';

type SetUpView = {
  provider: ListedProvider;
  setUp: SetUp;
  /** The state of the operator's address for webhooks. Null for all but admins of the operator's team. */
  operatorWebhook: OperatorWebhook | null;
  /** The values of a form that was refused, without the secret, which is never sent back. */
  draft?: { clientId: string; isPublic: boolean; params: Readonly<Record<string, string>>; scopes: string } | undefined;
  /** The value of a scopes form that was refused. */
  scopesDraft?: string | undefined;
};

/** The fields for the OAuth app's secret or private key. */
const secretFields = ({ privateKey }: ListedProvider, isPublic: boolean): Html => {
  const hint = 'Stored encrypted and never shown again, not even to you.';
  const withSecret = html`${field({ name: 'clientSecret', label: 'Client secret', type: 'password', hint })}
${checkBox({ name: 'isPublic', label: 'This is a public client (no secret)', value: 'yes', checked: isPublic })}`;
  if (privateKey === 'never') return withSecret;
  const instead = privateKey === 'possibly' ? 'Instead of a secret, if the provider wants one. ' : '';
  return html`${privateKey === 'possibly' ? withSecret : ''}
${textArea({ name: 'privateKey', label: 'Private key', value: '', rows: 4, hint: `${instead}As PEM or JWK. ${hint}` })}
${field({ name: 'keyId', label: 'Key ID', hint: 'Only if the provider has given the key one (kid).' })}`;
};

const credentialsForm = (person: Person, { provider, setUp: { client }, draft }: SetUpView): Html => {
  const own = client?.of === 'team' ? client : null;
  const stored = {
    clientId: own?.id,
    isPublic: false,
    params: own?.params ?? {},
    scopes: own?.scopes?.join(' ') ?? '',
  };
  const { clientId, isPublic, params, scopes } = draft ?? stored;
  return postForm(person, {
    action: `/integrations/${provider.id}/credentials`,
    content: html`${field({ name: 'clientId', label: 'Client ID', value: clientId ?? '', required: true })}
${secretFields(provider, isPublic)}
${provider.clientFields.map(({ name, label, about }) => field({ name: `more.${name}`, label, type: 'password', required: true, hint: `${about} Stored encrypted and never shown again.` }))}
${paramFields(provider.params, 'registered', params, false)}
${textArea({ name: 'clientScopes', label: 'Scopes to request', value: scopes, rows: 3, hint: 'Separated by spaces or line breaks. If empty: the defaults.' })}`,
    button: 'Save for this team',
  });
};

/** A link to the site where developers register OAuth apps. */
const developerLink = ({ name, developerUrl }: ListedProvider): Html | null =>
  developerUrl === null
    ? null
    : html`<p><a class="outside" href="${developerUrl}" rel="noreferrer">Open the developer site of ${name}</a></p>`;

/** The steps to set up a provider before anyone can connect it. */
const steps = (person: Person, view: SetUpView): Html => {
  const { name, scopes, settings, privateKey } = view.provider;
  return html`<ol class="set-up-steps">
<li><h2>Register an OAuth app at ${name}</h2>
${developerLink(view.provider)}<p>Use exactly this callback URL (redirect URI):</p>${urlBlock('callback URL', view.provider.callbackUrl)}${scopes.length > 0 && html`<p>Grant these scopes:</p>${listScopes(scopes)}`}</li>
<li><h2>Give Patchbay the client ID and ${privateKey === 'always' ? 'private key' : 'secret'}</h2>
<p>To enable it for all teams, set these variables and restart Patchbay:</p>${copyBlock('variables', settings.map((setting) => `${setting}=`).join('\n'))}
${operatorWebhookPart(person, view.provider, view.operatorWebhook)}
${
  person.role === 'admin'
    ? html`<h3>Or only for your team</h3>${credentialsForm(person, view)}`
    : html`<p>To enable it only for your team, a team admin can enter them on this page.</p>`
}</li>
<li><h2>Connect ${name}</h2><p>The Connect button will appear here.</p></li>
</ol>`;
};

/** The setup of a provider that is already set up, for reference, and for admins to change. */
const summary = (person: Person, view: SetUpView): Html => {
  const { provider, setUp, operatorWebhook, draft, scopesDraft } = view;
  const { id, name } = provider;
  const isOwn = setUp.client?.of === 'team';
  return html`<section class="card set-up"><h2>Setup</h2>${
    setUp.client &&
    (isOwn
      ? html`<p>Your team has its own OAuth app at ${name}:</p>${copyBlock('client ID', setUp.client.id)}`
      : html`<p>Your team uses the OAuth app that your administrator set up for all teams.</p>`)
  }
${developerLink(provider)}<h3>Callback URL</h3><p class="quiet">The redirect URI that is registered at ${name}.</p>${urlBlock('callback URL', provider.callbackUrl)}
${!isOwn && provider.webhook && operatorWebhook && html`<h3>Webhooks of this OAuth app</h3>${operatorWebhookPart(person, provider, operatorWebhook)}`}
${scopesSection(person, { provider, setUp, draft: scopesDraft })}
${
  person.role === 'admin' &&
  html`<h3>OAuth app</h3><details${draft && html` open`}><summary>${isOwn ? "Replace your team's OAuth app" : 'Use your own OAuth app'}</summary>${credentialsForm(person, view)}</details>
${isOwn && html`<p><a href="/integrations/${id}/credentials/remove">Remove your team's OAuth app</a></p>`}`
}</section>`;
};

export const setUpPart = (person: Person, view: SetUpView): Html =>
  view.provider.configured ? summary(person, view) : steps(person, view);
