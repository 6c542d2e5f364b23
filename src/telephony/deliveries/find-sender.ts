import type { TelephonyAccount } from '../accounts/account.ts';
import { queryOf } from '../contract/delivery.ts';
import type { Recognized } from '../contract/provider.ts';
import type { RefusalReason } from './diagnose-refusal.ts';
import type { ReceiverContext } from './receiver-context.ts';

export type Sender = {
  verified: { account: TelephonyAccount; secretId: string } | null;
  /** Whether the delivery is verified, but could still belong to another team. */
  isAmbiguous: boolean;
  unverified: readonly { account: TelephonyAccount; reason: RefusalReason }[];
  /** For an unverified delivery: whether only one team's accounts can have been meant. */
  isOneTeams: boolean;
};

export const areOfOneTeam = (accounts: readonly TelephonyAccount[]): boolean =>
  accounts.length > 0 && accounts.every(({ teamId }) => teamId === accounts[0]?.teamId);

/**
 * Lists accounts that may claim a verified delivery without `?account=`: those with the public key that verifies it,
 * and those with the account id that the delivery names. Anyone can enter both.
 */
export const listClaimants = (
  { switchboard }: Pick<ReceiverContext, 'switchboard'>,
  { provider, delivery }: Recognized,
  verified: { account: TelephonyAccount; secretId: string },
): readonly TelephonyAccount[] => {
  if (!provider.rules.secret.isPublic || queryOf(delivery).has('account')) return [];
  const named = provider.accountIdOf(delivery);
  const key = verified.account.secrets.find(({ id }) => id === verified.secretId)?.value;
  return switchboard
    .listOfProvider(provider.id)
    .filter(
      ({ accountId, secrets }) => (named !== null && accountId === named) || secrets.some(({ value }) => value === key),
    );
};

/**
 * Finds out which account a delivery belongs to.
 *
 * - Our URL may name the account (`?account=`), because an admin pasted it like that at the provider. Then the delivery
 *   belongs to that account or to nobody.
 * - Without `?account=`, the account ID in the delivery proves nothing: the delivery belongs to the account whose
 *   secret verifies it. If the secrets of two teams verify it, it belongs to nobody. Accounts for which no ID was
 *   entered are tried last, and not at all if the secret is a public key.
 * - The secret may be a public key, which anyone can enter. Then the delivery also belongs to nobody if another team
 *   has an account with the same key, or with the ID that the delivery names.
 * - An unverified delivery may have been meant for any team that has accounts at this provider.
 */
export const findSender = (context: ReceiverContext, recognized: Recognized): Sender => {
  const { switchboard, url, clock } = context;
  const { provider, delivery } = recognized;
  const ours = { publicUrl: url, now: clock.now() };
  const ourId = queryOf(delivery).get('account');
  const named = provider.accountIdOf(delivery);
  const fitting: { account: TelephonyAccount; secretId: string }[] = [];
  const unverified: { account: TelephonyAccount; reason: RefusalReason }[] = [];
  const candidates = switchboard.findCandidates(provider.id, ourId, named);
  for (const account of candidates) {
    const verdict = provider.verify(delivery, account.secrets, ours);
    if (verdict.ok) fitting.push({ account, secretId: verdict.secretId });
    else unverified.push({ account, reason: verdict.reason });
  }
  // An account without an ID at the provider is tried, but not listed as unverified: nothing shows that the delivery
  // was meant for it.
  if (ourId === null && fitting.length === 0 && !provider.rules.secret.isPublic)
    for (const account of switchboard.listUnnamed(provider.id)) {
      if (candidates.includes(account)) continue;
      const verdict = provider.verify(delivery, account.secrets, ours);
      if (verdict.ok) fitting.push({ account, secretId: verdict.secretId });
    }
  const [verified = null] = fitting;
  if (ourId !== null) return { verified, isAmbiguous: false, unverified, isOneTeams: true };
  const listAll = () => switchboard.listOfProvider(provider.id);
  if (!verified) return { verified, isAmbiguous: false, unverified, isOneTeams: areOfOneTeam(listAll()) };
  const owners = [...fitting.map(({ account }) => account), ...listClaimants(context, recognized, verified)];
  return { verified, isAmbiguous: !areOfOneTeam(owners), unverified, isOneTeams: false };
};
