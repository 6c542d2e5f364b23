import { html } from '../../../../platform/index.ts';
import type { ProviderInfo } from '../../../../telephony/index.ts';
import { postForm } from '../../../form.ts';
import type { DashboardPage } from '../../../frame.ts';
import type { Person } from '../../../person.ts';
import { type AccountForm, accountBoxes, accountIdField, apiFields, isTicked, secretField } from './account-form.ts';

const NEW = '/settings/telephony/accounts/new';

export const chooseProviderPage = (providers: readonly ProviderInfo[]): DashboardPage => ({
  title: 'Add a telephony account',
  content: html`<p class="lead">Choose your provider.</p>
<ul class="phone-providers">${providers.map(({ id, name }) => html`<li><a class="sheet" href="${NEW}?provider=${id}">${name}</a></li>`)}</ul>
<p><a href="/settings/telephony">Back</a></p>`,
});

export const newAccountPage = (person: Person, provider: ProviderInfo, form: AccountForm): DashboardPage => ({
  title: `Add a ${provider.name} account`,
  content: html`<p class="lead">Everything you enter here is stored encrypted. Secrets verify requests from ${provider.name} and are never shown again.</p>
<div class="sheet phone-form">${postForm(person, {
    action: `${NEW}?provider=${provider.id}`,
    button: 'Add account',
    content: html`${accountIdField(provider, form['accountId'] ?? '')}${secretField(provider)}
${
  Object.keys(provider.rules.api).length > 0 &&
  html`<fieldset><legend>For recordings</legend><p class="hint">${provider.rules.apiUse} You can add this later.</p>${apiFields(provider, form)}</fieldset>`
}
${accountBoxes(isTicked(form, 'removesArchived'), isTicked(form, 'observe'))}`,
  })}</div>
<p><a href="${NEW}">Choose another provider</a></p>`,
});
