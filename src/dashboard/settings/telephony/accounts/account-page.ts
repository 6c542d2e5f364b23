import { type Html, html, isLoopbackHost } from '../../../../platform/index.ts';
import { copyable, copyBlock, copyButton } from '../../../display/copy-button.ts';
import { phone } from '../../../display/phone.ts';
import type { Region } from '../../../display/region.ts';
import { postForm } from '../../../form.ts';
import type { DashboardPage } from '../../../frame.ts';
import { pageSteps } from '../../../parts.ts';
import type { Person } from '../../../person.ts';
import { accountBoxes, accountIdField } from './account-form.ts';
import { modeState } from './account-state.ts';
import type { AccountPageView } from './load-account.ts';
import { refusalsTable } from './refusals-table.ts';
import { apiSection, secretsSection } from './secrets-section.ts';
import { setupTestResult } from './setup-test-result.ts';

const address = (name: string, about: string, value: string): Html =>
  html`<dt>${name}<br><span class="hint">${about}</span></dt><dd>${copyBlock(`${name.toLowerCase()} URL`, value)}</dd>`;

const localNotice = ({ provider, url }: AccountPageView): Html | null =>
  isLoopbackHost(new URL(url).hostname)
    ? html`<div class="notice warn"><p><strong>${provider.name} can't reach these URLs</strong> because they only work on this machine. Set <code>PATCHBAY_URL</code> to your public URL, or to a tunnel's, and come back for new ones.</p></div>`
    : null;

const addressesSection = (view: AccountPageView): Html => {
  const { webhooks } = view.account;
  return html`<section class="sheet"><h2>Webhook URLs for ${view.provider.name}</h2>
${localNotice(view)}<p class="lead">Paste them exactly as shown, to the last character.</p>
<dl class="phone-addresses">
${address('Voice', 'called to find out how to answer a call', webhooks.voiceUrl)}
${address('Status', "called when a call's status changes", webhooks.statusUrl)}
${address('Recording', 'called when a recording is ready', webhooks.recordingUrl)}
</dl>
<h3>Where to paste them</h3>
<ul>${webhooks.notes.map((note) => html`<li>${note}</li>`)}</ul></section>`;
};

const testSection = (person: Person, { account, provider, url, test }: AccountPageView): Html =>
  html`<section class="sheet" id="test"><h2>Test this setup</h2>
<p class="lead">Sends a request through ${url}, signed as ${provider.name} would sign it, and reports the result. No call is logged.</p>
${test && setupTestResult(test, url, provider.name)}
${postForm(person, { action: `/settings/telephony/accounts/${account.id}/test#test`, button: test ? 'Test again' : 'Test this setup' })}</section>`;

const heldSection = (person: Person, { account: { id, held } }: AccountPageView): Html =>
  html`<section class="sheet" id="held"><h2>Held requests</h2>
<p>${held.count} of at most ${held.most} requests that couldn't be verified. They're deleted after seven days. Once you've fixed the cause, release them. Each one is verified again, based on the time it arrived.</p>
${postForm(person, { action: `/settings/telephony/accounts/${id}/release`, button: 'Verify and release', kind: 'plain' })}</section>`;

const WORDS = { first: 'First numbers', next: 'More numbers' };

const numbersSection = (region: Region, { account, numbers: { rows, nextCursor }, cursor }: AccountPageView): Html =>
  html`<section class="sheet"><h2>Numbers</h2>
${rows.length === 0 ? html`<p>None yet. Until you add one, callers hear that the number is not in service.</p>` : html`<ul class="phone-list">${rows.map(({ id, number, label }) => html`<li><a href="/settings/telephony/numbers/${id}">${phone(number, region)}</a>${copyButton('number', number)}${label && html` <span class="quiet">${label}</span>`}</li>`)}</ul>`}
${pageSteps({ path: `/settings/telephony/accounts/${account.id}`, cursor, nextCursor, words: WORDS })}
<p><a class="button plain" href="/settings/telephony/numbers/new?account=${account.id}">Add a number</a></p></section>`;

const settingsSection = (person: Person, { account, provider }: AccountPageView, accountId: string): Html =>
  html`<section class="sheet"><h2>Account</h2>
${postForm(person, {
  action: `/settings/telephony/accounts/${account.id}`,
  button: 'Save',
  content: html`${accountIdField(provider, accountId)}${accountBoxes(account.removesArchived, account.mode === 'observe')}`,
})}</section>`;

/** `accountId` is what was typed in, if that was refused. */
export const accountPage = (
  person: Person,
  view: AccountPageView,
  accountId = view.account.accountId ?? '',
): DashboardPage => {
  const { account, provider } = view;
  const { region } = person;
  return {
    title: provider.name,
    content: html`<p>${account.accountId && html`${copyable('account ID', account.accountId)} · `}${modeState(account, region)} · <a href="/settings/telephony">All accounts and numbers</a></p>
${addressesSection(view)}
${testSection(person, view)}
${account.held.count > 0 && heldSection(person, view)}
${account.refusals.length > 0 && html`<h2>Refused requests</h2>${refusalsTable(account.refusals, region)}`}
${numbersSection(region, view)}
${secretsSection(person, view)}
${apiSection(person, view)}
${settingsSection(person, view, accountId)}
<section class="sheet"><h2>Remove</h2>
<p>Removing the account deletes its secrets and takes its numbers out of service. Calls and recordings stay.</p>
<p><a class="button danger" href="/settings/telephony/accounts/${account.id}/remove">Remove account…</a></p></section>`,
  };
};
