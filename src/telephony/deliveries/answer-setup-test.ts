import type { Clock } from '../../platform/index.ts';
import type { Vault } from '../../vault/index.ts';
import type { Account } from '../accounts/account.ts';
import type { Switchboard } from '../accounts/switchboard.ts';
import { type Delivery, headerOf, JSON_TYPE, queryOf } from '../contract/delivery.ts';
import type { ReplyDocument, TelephonyProvider } from '../contract/provider.ts';
import { isTicket, type Sighting, TEST_HEADER, writeReceipt } from './setup-test.ts';

type Dependencies = {
  vault: Vault;
  clock: Clock;
  url: string;
  providers: readonly TelephonyProvider[];
  switchboard: Switchboard;
};

type Named = { provider: TelephonyProvider; account: Account };

const findNamed = ({ providers, switchboard }: Dependencies, ourId: string): Named | undefined => {
  for (const provider of providers) {
    const [account] = switchboard.findCandidates(provider.id, ourId, null);
    if (account) return { provider, account };
  }
  return undefined;
};

/** Reports back to a setup test what was received. Null if it is a regular delivery. */
export const answerSetupTest = async (
  dependencies: Dependencies,
  delivery: Delivery,
): Promise<ReplyDocument | null> => {
  const ticket = headerOf(delivery, TEST_HEADER);
  const ourId = ticket && queryOf(delivery).get('account');
  if (!ticket || !ourId) return null;
  const { vault, clock, url, switchboard } = dependencies;
  await switchboard.catchUp();
  const named = findNamed(dependencies, ourId);
  const now = clock.now();
  if (!named || !(await isTicket(vault, named.account, ticket, now))) return null;
  const { provider, account } = named;
  const verdict = provider.verify(delivery, account.secrets, { publicUrl: url, now });
  const sighting: Sighting = {
    receipt: await writeReceipt(vault, account, ticket),
    target: delivery.target,
    verdict: verdict.ok ? 'ok' : verdict.reason,
  };
  return { status: 200, contentType: JSON_TYPE, body: JSON.stringify(sighting) };
};
