import { type Html, html } from '../../../../platform/index.ts';
import type { AccountAnswer } from '../../../../telephony/index.ts';
import { postForm } from '../../../form.ts';
import { momentOrDash } from '../../../moment.ts';
import { apiFields, secretField } from './account-form.ts';
import type { AccountView } from './load-account.ts';

type SecretAnswer = AccountAnswer['secrets'][number];

const instantOf = (iso: string | null): number | null => (iso === null ? null : Date.parse(iso));

/** Secrets are told apart by the end of their id, since their value is never shown. */
export const secretName = ({ id }: Pick<SecretAnswer, 'id'>): string => `with ID …${id.slice(-6)}`;

const secretRow = (account: AccountAnswer, secret: SecretAnswer, timeZone: string): Html =>
  html`<tr><th scope="row"><code>${secretName(secret)}</code></th><td>${momentOrDash(instantOf(secret.addedAt), timeZone)}</td><td>${
    secret.lastUsedAt ? momentOrDash(instantOf(secret.lastUsedAt), timeZone) : html`<span class="quiet">never</span>`
  }</td><td class="action">${
    account.secrets.length > 1
      ? html`<a href="/settings/telephony/accounts/${account.id}/secrets/${secret.id}/remove" aria-label="Remove the secret ${secretName(secret)}">Remove</a>`
      : ''
  }</td></tr>
`;

export const secretsSection = ({ account, provider }: AccountView, csrfToken: string, timeZone: string): Html =>
  html`<section class="sheet"><h2>Secrets</h2>
<p class="lead">Any of these can verify a request. To change the secret without losing a call, add the new one here, change it at ${provider.name}, and remove the old one once it's no longer used.</p>
<div class="scroll" tabindex="0" role="region" aria-label="Secrets"><table class="phone-secrets">
<thead><tr><th scope="col">Secret</th><th scope="col">Added</th><th scope="col">Last used</th><td></td></tr></thead>
<tbody>${account.secrets.map((secret) => secretRow(account, secret, timeZone))}</tbody></table></div>
${postForm({
  action: `/settings/telephony/accounts/${account.id}/secrets`,
  csrfToken,
  button: 'Add secret',
  kind: 'plain',
  content: secretField(provider),
})}</section>`;

/** What it takes to fetch recordings, if the provider has separate credentials for that. */
export const apiSection = ({ account, provider }: AccountView, csrfToken: string): Html => {
  const { api } = provider.rules;
  if (Object.keys(api).length === 0) return html``;
  const set = account.api.map((name) => api[name]?.label ?? name);
  return html`<section class="sheet"><h2>For recordings</h2>
<p class="lead">${
    set.length > 0
      ? `Set: ${set.join(', ')}. Saving replaces all of them. Save empty fields to remove them.`
      : 'Nothing is set.'
  }</p>
${postForm({
  action: `/settings/telephony/accounts/${account.id}/api`,
  csrfToken,
  button: set.length > 0 ? 'Replace' : 'Save',
  kind: 'plain',
  content: apiFields(provider, {}),
})}</section>`;
};
