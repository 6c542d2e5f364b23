import { type Html, html } from '../../../../platform/index.ts';
import { card } from '../../../display/card.ts';
import { copyable } from '../../../display/copy-button.ts';
import { postForm } from '../../../form.ts';
import { factList } from '../../../parts.ts';
import type { Person } from '../../../person.ts';
import { accountBoxes, accountIdField } from './account-form.ts';
import { apiPart, secretsPart } from './credentials-part.ts';
import type { AccountPageView } from './load-account.ts';

const settingsPart = (person: Person, { account, provider, accountId }: AccountPageView): Html =>
  html`<h3>Verification and recordings</h3>
${postForm(person, {
  action: `/settings/telephony/accounts/${account.id}`,
  button: 'Save',
  content: html`${accountIdField(provider, accountId ?? account.accountId ?? '')}${accountBoxes(account.removesArchived, account.mode === 'observe')}`,
})}`;

export const removePart = ({ account }: AccountPageView): Html =>
  html`<h3>Remove</h3>
<p>Removing the account deletes its secrets and takes its numbers out of service. Calls and recordings stay.</p>
<p><a class="button danger" href="/settings/telephony/accounts/${account.id}/remove">Remove account…</a></p>`;

/** The account's credentials, how its requests are verified, and how to remove it. */
export const accountSection = (person: Person, view: AccountPageView): Html => {
  const { account } = view;
  return card({
    title: 'Account',
    id: 'account',
    content: html`${factList([
      ['ID in Patchbay', copyable('ID in Patchbay', account.id)],
      ['Changes', html`in the <a href="/settings/audit">audit log</a>`],
    ])}
${secretsPart(person, view)}
${apiPart(person, view)}
${settingsPart(person, view)}
${removePart(view)}`,
  });
};
