import { type Html, html } from '../../../../platform/index.ts';
import type { AccountView } from '../../../../telephony/index.ts';
import { moment } from '../../../display/moment.ts';
import type { Region } from '../../../display/region.ts';
import { postForm } from '../../../form.ts';
import { table } from '../../../parts.ts';
import type { Person } from '../../../person.ts';
import { apiFields, secretField } from './account-form.ts';
import type { AccountPageView } from './load-account.ts';

type SecretView = AccountView['secrets'][number];

/** Secrets are told apart by the end of their id, since their value is never shown. */
export const secretName = ({ id }: Pick<SecretView, 'id'>): string => `…${id.slice(-6)}`;

const secretRow = (account: AccountView, secret: SecretView, region: Region): Html =>
  html`<tr><th scope="row"><code>${secretName(secret)}</code></th><td>${secret.addedAt ? moment(Date.parse(secret.addedAt), region) : '–'}</td><td>${
    secret.lastUsedAt ? moment(Date.parse(secret.lastUsedAt), region) : html`<span class="quiet">never</span>`
  }</td><td class="action">${
    account.secrets.length > 1 &&
    html`<a href="/settings/telephony/accounts/${account.id}/secrets/${secret.id}/remove" aria-label="Remove secret ${secretName(secret)}">Remove</a>`
  }</td></tr>
`;

export const secretsSection = (person: Person, { account, provider }: AccountPageView): Html =>
  html`<section class="sheet"><h2>Secrets</h2>
<p class="lead">Any of these can verify a request. To change the secret without losing a call, add the new one here, change it at ${provider.name}, and remove the old one once it's no longer used.</p>
${table({
  label: 'Secrets',
  kind: 'phone-secrets',
  heads: ['Secret ID', 'Added', 'Last used', null],
  rows: account.secrets.map((secret) => secretRow(account, secret, person.region)),
})}
${postForm(person, {
  action: `/settings/telephony/accounts/${account.id}/secrets`,
  button: 'Add secret',
  kind: 'plain',
  content: secretField(provider),
})}</section>`;

/** What it takes to fetch recordings, if the provider has separate credentials for that. */
export const apiSection = (person: Person, { account, provider }: AccountPageView): Html | null => {
  const { api } = provider.rules;
  if (Object.keys(api).length === 0) return null;
  const set = account.api.map((name) => api[name]?.label ?? name);
  return html`<section class="sheet"><h2>For recordings</h2>
<p class="lead">${
    set.length > 0
      ? `Set: ${set.join(', ')}. Saving replaces all of them. Save empty fields to remove them.`
      : 'Nothing is set.'
  }</p>
${postForm(person, {
  action: `/settings/telephony/accounts/${account.id}/api`,
  button: set.length > 0 ? 'Replace' : 'Save',
  kind: 'plain',
  content: html`${apiFields(provider, {})}`,
})}</section>`;
};
