import type { Clock, Database, NewId } from '../../platform/index.ts';
import type { Vault } from '../../vault/index.ts';
import type { Account } from '../accounts/account.ts';
import { getAccountForUpdate } from '../accounts/account-store.ts';
import { insertHeld, measureHeld } from '../accounts/held-store.ts';
import type { Delivery } from '../contract/delivery.ts';
import { sealWhole } from '../processing/delivery-payload.ts';

export type HoldDependencies = { database: Database; vault: Vault; clock: Clock; newId: NewId };

export const MOST_HELD = { count: 1_000, bytes: 10 * 1024 * 1024 } as const;

/** Holds an unverified delivery, sealed, while the account is observed. Returns whether there was room. */
export const holdDelivery = async (
  { database, vault, clock, newId }: HoldDependencies,
  { teamId, id: accountId }: Pick<Account, 'teamId' | 'id'>,
  delivery: Delivery,
): Promise<boolean> => {
  const id = newId();
  const content = await sealWhole(vault, teamId, id, delivery);
  const bytes = Buffer.byteLength(content);
  return database.transaction(async (tx) => {
    // Locked, so that many at once don't exceed the limit.
    if (!(await getAccountForUpdate(tx, teamId, accountId))) return false;
    const held = await measureHeld(tx, teamId, accountId);
    if (held.count >= MOST_HELD.count || held.bytes + bytes > MOST_HELD.bytes) return false;
    await insertHeld(tx, { id, teamId, accountId, receivedAt: clock.now(), bytes, content });
    return true;
  });
};
