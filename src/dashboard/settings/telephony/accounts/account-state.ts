import { type Html, html } from '../../../../platform/index.ts';
import type { AccountName, AccountView, ProviderInfo } from '../../../../telephony/index.ts';
import { momentInText } from '../../../display/moment.ts';
import { pill } from '../../../display/pill.ts';
import type { Region } from '../../../display/region.ts';
import { state } from '../../../parts.ts';

export const providerName = (providers: readonly ProviderInfo[], provider: string): string =>
  providers.find(({ id }) => id === provider)?.name ?? provider;

/** What an account is called on the pages. */
export const accountName = (providers: readonly ProviderInfo[], { provider, accountId }: AccountName): string =>
  `${providerName(providers, provider)} ${accountId ?? ''}`.trim();

/** Enough of a provider's id to tell two accounts apart. */
export const shortId = (accountId: string): string => (accountId.length > 12 ? `…${accountId.slice(-6)}` : accountId);

/** For everything that a simulation made. */
export const DEMO = pill('none', 'Demo');

export const modeState = ({ mode, observeUntil, simulated }: AccountView, region: Region): Html => {
  if (simulated) return DEMO;
  return mode === 'observe' && observeUntil
    ? html`${state('warn', 'Observing')} until ${momentInText(Date.parse(observeUntil), region)}`
    : state('good', 'Requests are verified');
};

/** When a secret was last used shows which one the provider uses. */
export const secretsInShort = ({ secrets }: AccountView, region: Region): Html => {
  const uses = secrets.flatMap(({ lastUsedAt }) => (lastUsedAt ? [Date.parse(lastUsedAt)] : []));
  return uses.length === 0
    ? html`${secrets.length}, <span class="quiet">nothing verified yet</span>`
    : html`${secrets.length}, last used ${momentInText(Math.max(...uses), region)}`;
};
