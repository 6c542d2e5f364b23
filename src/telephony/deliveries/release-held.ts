import { type AuditActor, recordAudit } from '../../teams/index.ts';
import { getAccount } from '../accounts/account-store.ts';
import { deleteHeld, listHeld } from '../accounts/held-store.ts';
import { openAccount } from '../accounts/open-account.ts';
import type { AccountDependencies } from '../accounts/put-account.ts';
import { findTelephonyProvider } from '../accounts/put-account.ts';
import { accountUnknown } from '../errors.ts';
import { deliveryIdOf, openWhole, sealPayload } from '../processing/delivery-payload.ts';
import { DELIVERIES, type DeliveryRow, deliveryValues } from '../processing/delivery-store.ts';
import type { Processing } from '../processing/processing.ts';

export type ReleaseDependencies = AccountDependencies & { url: string; processing: Processing };

/**
 * Verifies held deliveries again, as of when they arrived, with the current settings. Those that pass become regular
 * deliveries; the others stay held.
 */
export const releaseHeld = async (
  dependencies: ReleaseDependencies,
  teamId: string,
  actor: AuditActor,
  accountId: string,
): Promise<{ released: number; held: number }> => {
  const { database, vault, providers, url, processing } = dependencies;
  const row = await getAccount(database, teamId, accountId);
  if (!row) throw accountUnknown();
  const account = await openAccount(vault, row);
  const provider = findTelephonyProvider(providers, account.provider);
  let released = 0;
  const waiting = await listHeld(database, teamId, accountId);
  for (const held of waiting) {
    const delivery = await openWhole(vault, teamId, held.id, held.content);
    const { receivedAt } = held;
    const verdict = provider.verify(delivery, account.secrets, { publicUrl: url, now: receivedAt });
    if (!verdict.ok) continue;
    const id = deliveryIdOf(accountId, provider.keyOf(delivery));
    const payload = await sealPayload(vault, teamId, id, delivery);
    const kept: DeliveryRow = {
      id,
      teamId,
      accountId,
      provider: provider.id,
      route: delivery.route,
      receivedAt,
      secretId: verdict.secretId,
      payload,
    };
    const [outcome] = await database.insertRows(DELIVERIES, [deliveryValues(kept)]);
    if (outcome instanceof Error) throw outcome;
    await deleteHeld(database, teamId, held.id);
    processing.add(kept);
    released++;
  }
  await recordAudit(dependencies, database, teamId, actor, {
    action: 'telephony.account.release',
    target: accountId,
    detail: { released, held: waiting.length - released },
  });
  return { released, held: waiting.length - released };
};
