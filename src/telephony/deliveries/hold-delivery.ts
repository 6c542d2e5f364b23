import type { TelephonyAccount } from '../accounts/account.ts';
import { lockAccount } from '../accounts/account-store.ts';
import { insertHeld, MOST_HELD, measureHeld } from '../accounts/held-store.ts';
import type { TelephonyContext } from '../context.ts';
import type { Delivery } from '../contract/delivery.ts';
import { sealWhole } from '../processing/delivery-payload.ts';

/** Holds an unverified delivery, sealed, while the account is observed. Returns whether there was room. */
export const holdDelivery = async (
  { database, vault, clock, newId }: TelephonyContext,
  { teamId, id: accountId }: Pick<TelephonyAccount, 'teamId' | 'id'>,
  delivery: Delivery,
): Promise<boolean> => {
  const id = newId();
  const content = await sealWhole(vault, teamId, id, delivery);
  const bytes = Buffer.byteLength(content);
  return database.transaction(async (tx) => {
    // Locked, so that many at once don't exceed the limit.
    if (!(await lockAccount(tx, teamId, accountId))) return false;
    const held = await measureHeld(tx, teamId, accountId);
    if (held.count >= MOST_HELD.count || held.bytes + bytes > MOST_HELD.bytes) return false;
    await insertHeld(tx, { id, teamId, accountId, receivedAt: clock.now(), bytes, content });
    return true;
  });
};
