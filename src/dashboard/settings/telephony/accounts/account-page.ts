import { type Html, html, isLoopbackHost } from '../../../../platform/index.ts';
import { postForm } from '../../../form.ts';
import { pageSteps } from '../../../page-steps.ts';
import type { Person } from '../../../person.ts';
import type { TelephonyPage } from '../show-telephony.ts';
import { accountIdField, observeBox, removesArchivedBox } from './account-form.ts';
import { apiSection, secretsSection } from './account-secrets.ts';
import { modeState } from './account-state.ts';
import type { AccountView } from './load-account.ts';
import { refusalsTable } from './refusals-table.ts';
import { setupTestResult } from './setup-test-result.ts';

const address = (name: string, about: string, value: string): Html =>
  html`<dt>${name}<br><span class="hint">${about}</span></dt><dd><pre class="copy"><code>${value}</code></pre></dd>`;

const localNotice = ({ provider, url }: AccountView): Html | null =>
  isLoopbackHost(new URL(url).hostname)
    ? html`<div class="notice warn"><p><strong>${provider.name} cannot reach these addresses</strong>: they are of this machine alone. Set <code>PATCHBAY_URL</code> to the public address, or to that of a tunnel, and come back for new ones.</p></div>`
    : null;

const addressesSection = (view: AccountView): Html => {
  const { webhooks } = view.account;
  const { provider } = view;
  return html`<section class="sheet"><h2>Addresses to paste at ${provider.name}</h2>
${localNotice(view)}<p class="lead">Exactly as they are, to the last character.</p>
<dl class="phone-addresses">
${address('Voice', 'asks how a call is answered', webhooks.voiceUrl)}
${address('Status', 'tells how a call goes on', webhooks.statusUrl)}
${address('Recording', 'tells that a recording is there', webhooks.recordingUrl)}
</dl>
<h3>Where they go</h3>
<ul>${webhooks.notes.map((note) => html`<li>${note}</li>`)}</ul></section>`;
};

const testSection = ({ account, provider, url, test }: AccountView, csrfToken: string): Html =>
  html`<section class="sheet" id="test"><h2>Test this set-up</h2>
<p class="lead">Sends a request through ${url}, signed as ${provider.name} would sign it, and says how far it comes. No call is put on record.</p>
${test ? setupTestResult(test, url, provider.name) : ''}
${postForm({ action: `/settings/telephony/accounts/${account.id}/test#test`, csrfToken, button: test ? 'Test again' : 'Test this set-up' })}</section>`;

const heldSection = ({ account }: AccountView, csrfToken: string): Html => {
  const { id, held } = account;
  return html`<section class="sheet" id="held"><h2>Held aside</h2>
<p>${held.count} of at most ${held.most} requests that could not be verified. They go after seven days. Once the cause is mended, release them: each is verified again, as of when it came.</p>
${postForm({ action: `/settings/telephony/accounts/${id}/release`, csrfToken, button: 'Release what fits', kind: 'plain' })}</section>`;
};

const refusalsSection = ({ account }: AccountView, timeZone: string): Html =>
  html`<h2>Refused requests</h2>${refusalsTable(account.refusals, timeZone)}`;

const WORDS = { first: 'First numbers', next: 'More numbers' };

const numbersSection = ({ account, numbers: { rows, nextCursor }, cursor }: AccountView): Html =>
  html`<section class="sheet"><h2>Numbers</h2>
${rows.length === 0 ? html`<p>None yet. Until there is one, callers hear that it is not in service.</p>` : html`<ul class="phone-list">${rows.map(({ id, number, label }) => html`<li><a href="/settings/telephony/numbers/${id}">${number}</a>${label ? html` <span class="quiet">${label}</span>` : ''}</li>`)}</ul>`}
${pageSteps({ path: `/settings/telephony/accounts/${account.id}`, cursor, nextCursor, words: WORDS })}
<p><a class="button plain" href="/settings/telephony/numbers/new?account=${account.id}">Add a number</a></p></section>`;

const settingsSection = ({ account, provider }: AccountView, accountId: string, csrfToken: string): Html =>
  html`<section class="sheet"><h2>Account</h2>
${postForm({
  action: `/settings/telephony/accounts/${account.id}`,
  csrfToken,
  button: 'Save',
  content: html`${accountIdField(provider, accountId)}${removesArchivedBox(account.removesArchived)}${observeBox(account.mode === 'observe')}`,
})}</section>`;

/** `accountId` is what was typed in, where that was refused. */
export const accountPage = (
  { csrfToken, team }: Person,
  view: AccountView,
  accountId = view.account.accountId ?? '',
): Omit<TelephonyPage, 'notice'> => {
  const { account, provider } = view;
  return {
    title: provider.name,
    content: html`<p>${account.accountId && html`<code>${account.accountId}</code> · `}${modeState(account, team.timeZone)} · <a href="/settings/telephony">All accounts and numbers</a></p>
${addressesSection(view)}
${testSection(view, csrfToken)}
${account.held.count > 0 ? heldSection(view, csrfToken) : ''}
${account.refusals.length > 0 ? refusalsSection(view, team.timeZone) : ''}
${numbersSection(view)}
${secretsSection(view, csrfToken, team.timeZone)}
${apiSection(view, csrfToken)}
${settingsSection(view, accountId, csrfToken)}
<section class="sheet"><h2>Remove</h2>
<p>Removing the account erases its secrets and takes its numbers out of service. Calls and recordings stay.</p>
<p><a class="button danger" href="/settings/telephony/accounts/${account.id}/remove">Remove the account …</a></p></section>`,
  };
};
