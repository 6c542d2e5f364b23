import { type Html, html } from '../../../../platform/index.ts';
import { copyable } from '../../../display/copy-button.ts';
import type { DashboardPage } from '../../../frame.ts';
import type { Person } from '../../../person.ts';
import { accountSection, removePart } from './account-section.ts';
import { modeState, shortId } from './account-state.ts';
import { answeringSection } from './answering-section.ts';
import type { AccountPageView } from './load-account.ts';
import { setupSection } from './setup-section.ts';

/** The sections of the demo account, which can't be changed. */
const demoSections = (person: Person, view: AccountPageView): Html => html`<div class="phone-sections">
<section class="sheet"><h2>Demo</h2>
<p>Demo calls come from this account. Real calls never do, so it takes none of your numbers. <a href="/settings/telephony/accounts/new">Add your own account</a> for those.</p>
<p>To remove it together with all demo calls, use <a href="/calls/demo/remove">Remove demo calls</a>.</p></section>
${answeringSection(person.region, view)}
<section class="sheet">${removePart(view)}</section></div>`;

export const accountPage = (person: Person, view: AccountPageView): DashboardPage => {
  const { account, provider } = view;
  return {
    title: `${provider.name} account ${shortId(account.accountId ?? '')}`.trim(),
    content: html`<p>${account.accountId && html`${copyable('account ID', account.accountId)} · `}${modeState(account, person.region)} · <a href="/settings/telephony">All accounts and numbers</a></p>
${
  account.simulated
    ? demoSections(person, view)
    : html`<div class="phone-sections">${setupSection(person, view)}
${answeringSection(person.region, view)}
${accountSection(person, view)}</div>`
}`,
  };
};
