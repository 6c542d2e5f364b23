import type { TelephonyAccount } from '../accounts/account.ts';
import { lockAccount } from '../accounts/account-store.ts';
import { insertHeld, MOST_HELD, measureHeld } from '../accounts/held-store.ts';
import type { TelephonyContext } from '../context.ts';
import type { Delivery } from '../contract/delivery.ts';
import { sealWhole } from '../processing/delivery-payload.ts';

/**
 * Seals and holds an unverified delivery of an account in observe mode. Returns false if that would exceed `MOST_HELD`,
 * or if the account is gone.
 */
export const holdDelivery = async (
  { database, vault, clock, newId }: TelephonyContext,
  { teamId, id: accountId }: Pick<TelephonyAccount, 'teamId' | 'id'>,
  delivery: Delivery,
): Promise<boolean> => {
  const id = newId();
  const content = await sealWhole(vault, teamId, id, delivery);
  const bytes = Buffer.byteLength(content);
  return database.transaction(async (tx) => {
    // Locks the account, so that deliveries are counted and held one at a time, and can't exceed the limit together.
    if (!(await lockAccount(tx, teamId, accountId))) return false;
    const held = await measureHeld(tx, teamId, accountId);
    if (held.count >= MOST_HELD.count || held.bytes + bytes > MOST_HELD.bytes) return false;
    await insertHeld(tx, { id, teamId, accountId, receivedAt: clock.now(), bytes, content });
    return true;
  });
};
