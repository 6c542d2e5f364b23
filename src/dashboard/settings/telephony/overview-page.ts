import { type Html, html, type ListPage } from '../../../platform/index.ts';
import type { AccountName, AccountView, NumberView, ProviderInfo, StorageView } from '../../../telephony/index.ts';
import { copyable } from '../../display/copy-button.ts';
import { copyablePhone, phoneWords } from '../../display/phone.ts';
import type { Region } from '../../display/region.ts';
import type { DashboardPage } from '../../frame.ts';
import { factList, pageSteps, sectionHead, state, table } from '../../parts.ts';
import type { Person } from '../../person.ts';
import { DEMO, lastVerifiedAt, modeState, providerName, secretsInShort, shortId } from './accounts/account-state.ts';
import { refusalsTable } from './accounts/refusals-table.ts';
import { previewInShort } from './numbers/answer-words.ts';
import { storageSection } from './storage-section.ts';

type OverviewView = {
  providers: readonly ProviderInfo[];
  accounts: ListPage<AccountView>;
  accountCursor: string | undefined;
  /** All of the team's own accounts, regardless of the page that is shown. */
  names: readonly AccountName[];
  numbers: ListPage<NumberView>;
  cursor: string | undefined;
  storage: StorageView;
};

const PATH = '/settings/telephony';
const NEW_ACCOUNT = '/settings/telephony/accounts/new';
const NEW_NUMBER = '/settings/telephony/numbers/new';

const step = (isDone: boolean, what: Html): Html => html`<li>${what}${isDone && html` ${state('good', 'Done')}`}</li>`;

/** The first steps. Shown until a request from the provider has been verified, which shows that calls arrive. */
const firstSteps = ({ names, numbers }: OverviewView): Html => {
  const [account] = names;
  const hasNumber = numbers.rows.some(({ simulated }) => !simulated);
  const next = account ? `/settings/telephony/accounts/${account.id}#setup` : NEW_ACCOUNT;
  return html`<div class="empty first-steps">
<h2>Three steps to your first call</h2>
<ol>
${step(account !== undefined, html`<strong>Add an account</strong> from your telephony provider. Its secret proves that requests really come from there.`)}
${step(false, html`<strong>Paste the webhook URLs</strong> you get into your provider's settings, and test the setup with one click.`)}
${step(hasNumber, html`<strong>Add your numbers</strong> and choose how each is answered: which phones ring, for how long, and what happens next.`)}
</ol>
<p><a class="button" href="${next}">${account ? 'See the webhook URLs' : 'Add an account'}</a></p>
</div>`;
};

const accountCard = (view: OverviewView, account: AccountView, region: Region): Html => {
  const { held, numbers, simulated } = account;
  return html`<section class="sheet phone-account">
<div class="head"><h3><a href="/settings/telephony/accounts/${account.id}">${providerName(view.providers, account.provider)}</a></h3><p>${modeState(account, region)}</p></div>
${factList([
  ['Account', account.accountId === null ? '–' : copyable('account ID', account.accountId)],
  ['Secrets', !simulated && secretsInShort(account, region)],
  [
    'Numbers',
    numbers === 0 && !simulated ? html`none, <a href="${NEW_NUMBER}?account=${account.id}">add one</a>` : numbers,
  ],
  [
    'Set aside',
    held.count > 0 && html`<a href="/settings/telephony/accounts/${account.id}#held">${held.count} to review</a>`,
  ],
])}
</section>`;
};

const numberRow = (view: OverviewView, region: Region, shown: NumberView): Html => {
  const { id, number, label, account, answer, simulated } = shown;
  const owner = view.names.find((candidate) => candidate.id === account);
  const provider = owner ? providerName(view.providers, owner.provider) : '–';
  return html`<tr><th scope="row">${copyablePhone(number, region)}${label && html`<br><span class="quiet">${label}</span>`}</th>
<td>${previewInShort(answer, region)}</td><td>${simulated ? DEMO : provider}</td>
<td class="action"><a href="/settings/telephony/numbers/${id}" aria-label="${simulated ? 'View' : 'Edit'} ${phoneWords(number, region)}">${simulated ? 'View' : 'Edit'}</a></td></tr>
`;
};

const numbersSection = (view: OverviewView, region: Region): Html =>
  html`${sectionHead('Numbers', NEW_NUMBER, 'Add a number')}
${
  view.numbers.rows.length === 0
    ? html`<div class="empty"><p>No numbers yet. Until you add one, callers hear that the number is not in service.</p>
<p><a class="button" href="${NEW_NUMBER}">Add a number</a></p></div>`
    : html`${table({
        label: 'Numbers',
        kind: 'phone-numbers',
        heads: ['Number', 'When someone calls, it', 'Provider', null],
        rows: view.numbers.rows.map((number) => numberRow(view, region, number)),
      })}
${pageSteps({ path: PATH, cursor: view.cursor, nextCursor: view.numbers.nextCursor, words: { first: 'First numbers', next: 'More numbers' } })}`
}`;

const refusalsSection = (view: OverviewView, region: Region): Html => {
  const refusals = view.accounts.rows
    .filter(({ simulated }) => !simulated)
    .flatMap((account) =>
      account.refusals.map((refusal) => ({
        ...refusal,
        account: html`<a href="/settings/telephony/accounts/${account.id}">${providerName(view.providers, account.provider)} ${shortId(account.accountId ?? '')}</a>`,
      })),
    )
    .sort((left, right) => (right.lastAt ?? '').localeCompare(left.lastAt ?? ''));
  return html`<h2>Refused requests</h2>
${refusals.length === 0 ? html`<p class="quiet">None. Requests that can't be verified with a secret are refused and listed here with the reason.</p>` : refusalsTable(refusals, region)}`;
};

const eraseSection = html`<h2>Erase a phone number</h2>
<p class="lead">Did someone ask you to delete their data? <a href="/settings/telephony/erase">Erase everything about their number</a>, including calls, recordings, and original requests.</p>`;

const accountsSection = (view: OverviewView, region: Region): Html =>
  html`${sectionHead('Accounts', NEW_ACCOUNT, 'Add an account')}
<div class="phone-accounts">${view.accounts.rows.map((account) => accountCard(view, account, region))}</div>
${pageSteps({ path: PATH, name: 'accounts', cursor: view.accountCursor, nextCursor: view.accounts.nextCursor, words: { first: 'First accounts', next: 'More accounts' } })}
${refusalsSection(view, region)}
${storageSection(view.storage)}`;

/** The overview of telephony. Starts with the first steps until a request for a real account was verified. */
export const overviewPage = ({ region }: Person, view: OverviewView): DashboardPage => {
  const hasOwn = view.names.length > 0;
  const isReached =
    view.accountCursor !== undefined || view.accounts.rows.some((one) => !one.simulated && lastVerifiedAt(one));
  const hasAny = hasOwn || view.accounts.rows.length > 0;
  return {
    title: 'Telephony',
    content: html`${!isReached && firstSteps(view)}<div class="phone-overview">${hasOwn && numbersSection(view, region)}
${hasAny && accountsSection(view, region)}
${eraseSection}</div>`,
  };
};
