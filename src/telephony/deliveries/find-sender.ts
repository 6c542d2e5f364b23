import type { Clock } from '../../platform/index.ts';
import type { Account } from '../accounts/account.ts';
import type { Switchboard } from '../accounts/switchboard.ts';
import { queryOf } from '../contract/delivery.ts';
import type { Recognized } from './answer-delivery.ts';
import type { RefusalReason } from './diagnose-refusal.ts';

export type Unverified = { account: Account; reason: RefusalReason };

export type Sender = {
  verified: { account: Account; secretId: string } | null;
  /** It is verified, and could be another team's all the same. */
  isAmbiguous: boolean;
  unverified: readonly Unverified[];
  /** Of what is not verified: every team that it could have been meant for is the one team of these accounts. */
  isOneTeams: boolean;
};

type Dependencies = { switchboard: Switchboard; url: string; clock: Clock };

const areOfOneTeam = (accounts: readonly Account[]): boolean =>
  accounts.length > 0 && accounts.every(({ teamId }) => teamId === accounts[0]?.teamId);

/**
 * Whose a delivery is.
 *
 * - Our address may name the account (`?account=`). Only who sets up the provider can have put it there, so it is that
 *   account's or nobody's.
 * - Without it, what the delivery says of its account proves nothing: it is whoever's secret verifies it. Where the secrets
 *   of two teams do, it is nobody's.
 * - What verifies may be public. Then anybody can have typed it in, and it is nobody's either if another team has it as well,
 *   or has an account of the same name.
 * - What nothing verifies may have been meant for any team that has accounts of this provider.
 */
export const findSender = (
  { switchboard, url, clock }: Dependencies,
  { provider, delivery }: Pick<Recognized, 'provider' | 'delivery'>,
): Sender => {
  const context = { publicUrl: url, now: clock.now() };
  const ourId = queryOf(delivery).get('account');
  const named = provider.accountIdOf(delivery);
  const fitting: { account: Account; secretId: string }[] = [];
  const unverified: Unverified[] = [];
  for (const account of switchboard.findCandidates(provider.id, ourId, named)) {
    const verdict = provider.verify(delivery, account.secrets, context);
    if (verdict.ok) fitting.push({ account, secretId: verdict.secretId });
    else unverified.push({ account, reason: verdict.reason });
  }
  const [verified = null] = fitting;
  if (ourId !== null) return { verified, isAmbiguous: false, unverified, isOneTeams: true };
  if (!verified)
    return {
      verified,
      isAmbiguous: false,
      unverified,
      isOneTeams: areOfOneTeam(switchboard.listOfProvider(provider.id)),
    };
  const key = verified.account.secrets.find(({ id }) => id === verified.secretId)?.value;
  const claims = ({ accountId, secrets }: Account): boolean =>
    (named !== null && accountId === named) || secrets.some(({ value }) => value === key);
  const claimants = provider.rules.secret.isPublic ? switchboard.listOfProvider(provider.id).filter(claims) : [];
  const owners = [...fitting.map(({ account }) => account), ...claimants];
  return { verified, isAmbiguous: !areOfOneTeam(owners), unverified, isOneTeams: false };
};
