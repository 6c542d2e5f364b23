import { type Html, html } from '../../../../platform/index.ts';
import type { AccountName, AccountView, ProviderInfo } from '../../../../telephony/index.ts';
import { momentInText } from '../../../display/moment.ts';
import { pill } from '../../../display/pill.ts';
import type { Region } from '../../../display/region.ts';
import { state } from '../../../parts.ts';
import { REFUSAL_WORDS } from './refusals-table.ts';

export const providerName = (providers: readonly ProviderInfo[], provider: string): string =>
  providers.find(({ id }) => id === provider)?.name ?? provider;

/** The account's name on pages. */
export const accountName = (providers: readonly ProviderInfo[], { provider, accountId }: AccountName): string =>
  `${providerName(providers, provider)} ${accountId ?? ''}`.trim();

/** The end of a provider's account ID, enough to tell two accounts apart. */
export const shortId = (accountId: string): string => (accountId.length > 12 ? `…${accountId.slice(-6)}` : accountId);

/** Labels everything that a simulation created. */
export const DEMO = pill('none', 'Demo');

/** When a request was last verified. Null if none was. */
export const lastVerifiedAt = ({ secrets }: Pick<AccountView, 'secrets'>): number | null => {
  const uses = secrets.flatMap(({ lastUsedAt }) => (lastUsedAt ? [Date.parse(lastUsedAt)] : []));
  return uses.length === 0 ? null : Math.max(...uses);
};

const withinSentence = (words: string): string => `${words.charAt(0).toLowerCase()}${words.slice(1)}`;

/** The state of an account's requests: none yet, when one was last verified, or why one was refused since then. */
const evidenceOf = (account: AccountView, region: Region): Html | string => {
  const verifiedAt = lastVerifiedAt(account);
  const refused = account.refusals.find(({ lastAt }) => lastAt && Date.parse(lastAt) > (verifiedAt ?? 0));
  if (refused)
    return html`${state('bad', 'Refused')}: ${withinSentence(REFUSAL_WORDS[refused.reason] ?? refused.reason)}`;
  return verifiedAt === null ? 'nothing received yet' : html`last verified request ${momentInText(verifiedAt, region)}`;
};

export const modeState = (account: AccountView, region: Region): Html => {
  const { mode, observeUntil, simulated } = account;
  if (simulated) return DEMO;
  return mode === 'observe' && observeUntil
    ? html`${state('warn', 'Answers unverified requests')} until ${momentInText(Date.parse(observeUntil), region)}`
    : html`${state('none', 'Verifies requests')} · ${evidenceOf(account, region)}`;
};

/** The number of secrets, and when one was last used. */
export const secretsInShort = (account: AccountView, region: Region): Html => {
  const verifiedAt = lastVerifiedAt(account);
  return verifiedAt === null
    ? html`${account.secrets.length}, <span class="quiet">nothing verified yet</span>`
    : html`${account.secrets.length}, last used ${momentInText(verifiedAt, region)}`;
};
