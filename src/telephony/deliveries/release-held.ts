import { type AuditActor, recordAudit } from '../../teams/index.ts';
import { findProvider } from '../accounts/account-wish.ts';
import { findAccount } from '../accounts/accounts.ts';
import { deleteHeld, listHeld } from '../accounts/held-store.ts';
import type { TelephonyContext } from '../contract/context.ts';
import { openWhole, sealDelivery } from '../processing/delivery-payload.ts';
import { DELIVERIES, deliveryValues } from '../processing/delivery-store.ts';
import type { Processing } from '../processing/processing.ts';

/**
 * Verifies held deliveries again, as of when they arrived, with the current settings. Those that pass become regular
 * deliveries; the others stay held.
 */
export const releaseHeld = async (
  context: TelephonyContext & { processing: Processing },
  teamId: string,
  actor: AuditActor,
  accountId: string,
): Promise<{ released: number; held: number }> => {
  const { database, vault, providers, url, processing } = context;
  const account = await findAccount(context, teamId, accountId);
  const provider = findProvider(providers, account.provider);
  let count = 0;
  const waiting = await listHeld(database, teamId, accountId);
  for (const held of waiting) {
    const delivery = await openWhole(vault, teamId, held.id, held.content);
    const { receivedAt } = held;
    const verdict = provider.verify(delivery, account.secrets, { publicUrl: url, now: receivedAt });
    if (!verdict.ok) continue;
    const { secretId } = verdict;
    const released = await sealDelivery(vault, { provider, delivery }, account, { receivedAt, secretId });
    const [outcome] = await database.insertRows(DELIVERIES, [deliveryValues(released)]);
    if (outcome instanceof Error) throw outcome;
    await deleteHeld(database, teamId, held.id);
    processing.add(released);
    count++;
  }
  const detail = { released: count, held: waiting.length - count };
  await recordAudit(context, database, teamId, actor, {
    action: 'telephony.account.release',
    target: accountId,
    detail,
  });
  return detail;
};
