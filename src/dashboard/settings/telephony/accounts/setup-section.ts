import { type Html, html, isLoopbackHost } from '../../../../platform/index.ts';
import { card } from '../../../display/card.ts';
import { copyBlock } from '../../../display/copy-button.ts';
import { postForm } from '../../../form.ts';
import type { Person } from '../../../person.ts';
import { lastVerifiedAt } from './account-state.ts';
import type { AccountPageView } from './load-account.ts';
import { refusalsTable } from './refusals-table.ts';
import { setupTestResult } from './setup-test-result.ts';

const address = (name: string, about: string, value: string): Html =>
  html`<dt>${name}<br><span class="hint">${about}</span></dt><dd>${copyBlock(`${name.toLowerCase()} URL`, value)}</dd>`;

const localNotice = ({ provider, url }: AccountPageView): Html | null =>
  isLoopbackHost(new URL(url).hostname)
    ? html`<div class="notice warn"><p><strong>${provider.name} can't reach these URLs</strong> because they only work on this machine. Set <code>PATCHBAY_URL</code> to your public URL, or to a tunnel's, where Patchbay is started (<code>docs/settings.md</code> says how). Then restart it, and come back for new ones.</p></div>`
    : null;

/** Says what is left to do until calls can come in. Null if a request was verified and the URL is public. */
export const leftToDo = ({
  account,
  provider,
  url,
}: Pick<AccountPageView, 'account' | 'provider' | 'url'>): Html | null => {
  const isLocal = isLoopbackHost(new URL(url).hostname);
  if (account.simulated || (!isLocal && lastVerifiedAt(account) !== null)) return null;
  const setup = html`<a href="/settings/telephony/accounts/${account.id}#setup">the account's webhook URLs</a>`;
  return html`<div class="notice warn"><p><strong>Calls can't come in yet.</strong> ${
    isLocal
      ? html`${provider.name} can't reach this machine at ${url}. Set <code>PATCHBAY_URL</code> to a public URL, restart Patchbay, and paste ${setup} at ${provider.name}.`
      : html`${provider.name} hasn't sent a verified request so far. Paste ${setup} there, and test the setup.`
  }</p></div>`;
};

const addresses = (view: AccountPageView): Html => {
  const { webhooks } = view.account;
  return html`${localNotice(view)}<p class="lead">Paste these webhook URLs at ${view.provider.name} exactly as shown, to the last character.</p>
<dl class="phone-addresses">
${address('Voice', 'called to find out how to answer a call', webhooks.voiceUrl)}
${address('Status', "called when a call's status changes", webhooks.statusUrl)}
${address('Recording', 'called when a recording is ready', webhooks.recordingUrl)}
</dl>
<h3>Where to paste them</h3>
<ul>${webhooks.notes.map((note) => html`<li>${note}</li>`)}</ul>`;
};

const setupTest = (person: Person, { account, provider, url, test }: AccountPageView): Html =>
  html`<div id="test"><h3>Test this setup</h3>
<p class="lead">Sends a request through ${url}, signed as ${provider.name} would sign it, and reports the result. No call is logged.</p>
${test && setupTestResult(test, url, provider.name)}
${postForm(person, { action: `/settings/telephony/accounts/${account.id}/test#test`, button: test ? 'Test again' : 'Test this setup' })}</div>`;

const held = (person: Person, { account: { id, held } }: AccountPageView): Html =>
  html`<div id="held"><h3>Requests that were set aside</h3>
<p>${held.count} of at most ${held.most} requests that couldn't be verified. They're deleted after seven days. Once you've fixed the cause, accept them: each one is verified again, as of the time it arrived, and then counts like any other.</p>
${postForm(person, { action: `/settings/telephony/accounts/${id}/release`, button: 'Verify and accept', kind: 'plain' })}</div>`;

/** The webhook URLs, whether they work, and which requests were refused. */
export const setupSection = (person: Person, view: AccountPageView): Html => {
  const { account } = view;
  return card({
    title: 'Set up',
    id: 'setup',
    content: html`${addresses(view)}
${setupTest(person, view)}
${account.held.count > 0 && held(person, view)}
${account.refusals.length > 0 && html`<h3>Refused requests</h3>${refusalsTable(account.refusals, person.region)}`}`,
  });
};
