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

/** A secret's name: the end of its ID, because its value is never shown. */
export const secretName = ({ id }: Pick<SecretView, 'id'>): string => `…${id.slice(-6)}`;

const secretRow = (account: AccountView, secret: SecretView, region: Region): Html =>
  html`<tr><th scope="row"><code>${secretName(secret)}</code></th><td>${secret.addedAt ? moment(Date.parse(secret.addedAt), region) : '–'}</td><td>${
    secret.lastUsedAt ? moment(Date.parse(secret.lastUsedAt), region) : html`<span class="quiet">never</span>`
  }</td><td class="action">${
    account.secrets.length > 1 &&
    html`<a href="/settings/telephony/accounts/${account.id}/secrets/${secret.id}/remove" aria-label="Remove secret ${secretName(secret)}">Remove</a>`
  }</td></tr>
`;

/** A folded form. Open if the form was refused. */
const reveal = (summary: string, isOpen: boolean, content: Html): Html =>
  html`<details class="reveal"${isOpen && html` open`}><summary>${summary}</summary>${content}</details>`;

/** The secrets that verify requests. */
export const secretsPart = (person: Person, { account, provider, refused }: AccountPageView): Html =>
  html`<h3>Secrets</h3>
<p class="lead">Any of these can verify a request. To change the secret without losing a call, add the new one here, change it at ${provider.name}, and remove the old one once it's no longer used.</p>
${table({
  label: 'Secrets',
  kind: 'phone-secrets',
  heads: ['Secret ID', 'Added', 'Last used', null],
  rows: account.secrets.map((secret) => secretRow(account, secret, person.region)),
})}
${reveal(
  'Add a secret',
  refused === 'secrets',
  postForm(person, {
    action: `/settings/telephony/accounts/${account.id}/secrets`,
    button: 'Add secret',
    kind: 'plain',
    content: secretField(provider),
  }),
)}`;

/** The API credentials, which fetch recordings. Null if the provider has no separate credentials. */
export const apiPart = (person: Person, { account, provider, refused }: AccountPageView): Html | null => {
  const { api, apiUse } = provider.rules;
  if (Object.keys(api).length === 0) return null;
  const set = account.api.map((name) => api[name]?.label ?? name);
  const isSet = set.length > 0;
  return html`<h3>Credentials for recordings</h3>
<p class="lead">${isSet ? `Set: ${set.join(', ')}.` : 'Nothing is set.'} ${apiUse}</p>
${reveal(
  isSet ? 'Replace or remove them' : 'Add credentials',
  refused === 'api',
  html`${isSet && html`<p class="hint">Saving replaces all of them. Save empty fields to remove them.</p>`}${postForm(
    person,
    {
      action: `/settings/telephony/accounts/${account.id}/api`,
      button: isSet ? 'Replace' : 'Save',
      kind: 'plain',
      content: html`${apiFields(provider, {})}`,
    },
  )}`,
)}`;
};
