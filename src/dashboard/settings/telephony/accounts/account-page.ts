import { html } from '../../../../platform/index.ts';
import { copyable } from '../../../display/copy-button.ts';
import type { DashboardPage } from '../../../frame.ts';
import type { Person } from '../../../person.ts';
import { accountSection } from './account-section.ts';
import { modeState, shortId } from './account-state.ts';
import { answeringSection } from './answering-section.ts';
import type { AccountPageView } from './load-account.ts';
import { setupSection } from './setup-section.ts';

export const accountPage = (person: Person, view: AccountPageView): DashboardPage => {
  const { account, provider } = view;
  return {
    title: `${provider.name} account ${shortId(account.accountId ?? '')}`.trim(),
    content: html`<p>${account.accountId && html`${copyable('account ID', account.accountId)} · `}${modeState(account, person.region)} · <a href="/settings/telephony">All accounts and numbers</a></p>
<div class="phone-sections">${setupSection(person, view)}
${answeringSection(person.region, view)}
${accountSection(person, view)}</div>`,
  };
};
