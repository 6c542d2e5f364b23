import { type Html, html, type ListPage } from '../../../platform/index.ts';
import {
  type AccountAnswer,
  type AccountName,
  type NumberAnswer,
  type ProviderInfo,
  previewAnswer,
} from '../../../telephony/index.ts';
import { pageSteps } from '../../page-steps.ts';
import type { Person } from '../../person.ts';
import { modeState, secretsInShort, shortId } from './accounts/account-state.ts';
import { refusalsTable } from './accounts/refusals-table.ts';
import { previewInShort } from './numbers/answer-words.ts';
import type { TelephonyPage } from './show-telephony.ts';

export type OverviewView = {
  providers: readonly ProviderInfo[];
  accounts: ListPage<AccountAnswer>;
  accountCursor: string | undefined;
  /** Every account, whichever page of them is shown. */
  names: readonly AccountName[];
  numbers: ListPage<NumberAnswer>;
  cursor: string | undefined;
};

const PATH = '/settings/telephony';

const NEW_ACCOUNT = '/settings/telephony/accounts/new';
const NEW_NUMBER = '/settings/telephony/numbers/new';

const firstSteps = html`<div class="empty first-steps">
<h2>Three steps to the first call</h2>
<ol>
<li><strong>Add an account</strong> of your telephony provider: its secret proves that a call is really theirs.</li>
<li><strong>Paste the addresses</strong> that you get then at the provider, and test the set-up with one button.</li>
<li><strong>Add your numbers</strong> and say how each is answered: who rings, for how long, and what comes after.</li>
</ol>
<p><a class="button" href="${NEW_ACCOUNT}">Add an account</a></p>
</div>`;

const providerName = ({ providers }: OverviewView, { provider }: Pick<AccountAnswer, 'provider'>): string =>
  providers.find(({ id }) => id === provider)?.name ?? provider;

const accountCard = (view: OverviewView, account: AccountAnswer, timeZone: string): Html => {
  const { held, numbers } = account;
  return html`<section class="sheet phone-account">
<div class="head"><h3><a href="/settings/telephony/accounts/${account.id}">${providerName(view, account)}</a></h3><p>${modeState(account, timeZone)}</p></div>
<dl><dt>Account</dt><dd>${account.accountId ?? '–'}</dd>
<dt>Secrets</dt><dd>${secretsInShort(account, timeZone)}</dd>
<dt>Numbers</dt><dd>${numbers === 0 ? html`none, <a href="${NEW_NUMBER}?account=${account.id}">add one</a>` : numbers}</dd>
${held.count > 0 ? html`<dt>Held</dt><dd><a href="/settings/telephony/accounts/${account.id}#held">${held.count} to look at</a></dd>` : ''}</dl>
</section>`;
};

const numberRow = (view: OverviewView, { id, number, label, account, answer }: NumberAnswer): Html => {
  const owner = view.names.find((candidate) => candidate.id === account);
  return html`<tr><th scope="row">${number}${label ? html`<br><span class="quiet">${label}</span>` : ''}</th>
<td>${previewInShort(previewAnswer(answer))}</td><td>${owner ? providerName(view, owner) : '–'}</td>
<td class="action"><a href="/settings/telephony/numbers/${id}" aria-label="Change ${number}">Change</a></td></tr>
`;
};

const numbersSection = (view: OverviewView): Html =>
  html`<div class="head"><h2>Numbers</h2><a href="${NEW_NUMBER}">Add a number</a></div>
${
  view.numbers.rows.length === 0
    ? html`<div class="empty"><p>No number yet. Until there is one, callers hear that it is not in service.</p>
<p><a class="button" href="${NEW_NUMBER}">Add a number</a></p></div>`
    : html`<div class="scroll" tabindex="0" role="region" aria-label="Numbers"><table class="phone-numbers">
<thead><tr><th scope="col">Number</th><th scope="col">When somebody calls, it</th><th scope="col">Provider</th><td></td></tr></thead>
<tbody>${view.numbers.rows.map((number) => numberRow(view, number))}</tbody></table></div>
${pageSteps({ path: PATH, cursor: view.cursor, nextCursor: view.numbers.nextCursor, words: { first: 'First numbers', next: 'More numbers' } })}`
}`;

const refusalsSection = (view: OverviewView, timeZone: string): Html => {
  const refusals = view.accounts.rows
    .flatMap((account) =>
      account.refusals.map((refusal) => ({
        ...refusal,
        account: html`<a href="/settings/telephony/accounts/${account.id}">${providerName(view, account)} ${shortId(account.accountId ?? '')}</a>`,
      })),
    )
    .sort((left, right) => (right.lastAt ?? '').localeCompare(left.lastAt ?? ''));
  return html`<h2>Refused requests</h2>
${refusals.length === 0 ? html`<p class="quiet">None. A request that is not proved by a secret is refused, and shows up here with the reason.</p>` : refusalsTable(refusals, timeZone)}`;
};

const eraseSection = html`<h2>Erase a phone number</h2>
<p class="lead">Somebody wants to be forgotten? <a href="/settings/telephony/erase">Erase everything about their number</a>: calls, recordings and what was received of them.</p>`;

export const overviewPage = ({ team }: Person, view: OverviewView): Omit<TelephonyPage, 'notice'> => ({
  title: 'Telephony',
  content:
    view.names.length === 0
      ? html`${firstSteps}${eraseSection}`
      : html`<div class="phone-overview">${numbersSection(view)}
<div class="head"><h2>Accounts</h2><a href="${NEW_ACCOUNT}">Add an account</a></div>
<div class="phone-accounts">${view.accounts.rows.map((account) => accountCard(view, account, team.timeZone))}</div>
${pageSteps({ path: PATH, name: 'accounts', cursor: view.accountCursor, nextCursor: view.accounts.nextCursor, words: { first: 'First accounts', next: 'More accounts' } })}
${refusalsSection(view, team.timeZone)}
${eraseSection}</div>`,
});
