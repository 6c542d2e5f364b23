import { SealBroken } from '../../vault/index.ts';
import type { TelephonyContext } from '../context.ts';
import { deliveryIdOf } from '../processing/delivery-payload.ts';
import { listUnkeyed, renameDeliveries, type Unkeyed } from './unkeyed-delivery-store.ts';

const PAGE = 50;

/**
 * Changes old ids of deliveries, which are plain digests, to ids that are hashed with the team's key. Even after the
 * payload is erased, a phone number could be guessed from a plain digest.
 */
export const rekeyDeliveries = async (
  { database, vault }: Pick<TelephonyContext, 'database' | 'vault'>,
  signal: AbortSignal,
): Promise<void> => {
  const toRenamed = async (row: Unkeyed) => {
    const newId = await deliveryIdOf(vault, row.teamId, row.id).catch((err) => {
      // The team's key is gone, because the team and its deliveries are being erased.
      if (err instanceof SealBroken) return null;
      throw err;
    });
    return newId === null ? [] : [{ ...row, newId }];
  };
  let page = await listUnkeyed(database, { teamId: '', id: '' }, PAGE);
  for (let last = page.at(-1); last; last = page.at(-1)) {
    signal.throwIfAborted();
    const renamed = (await Promise.all(page.map(toRenamed))).flat();
    if (renamed.length > 0) await database.transaction((tx) => renameDeliveries(tx, renamed));
    page = await listUnkeyed(database, last, PAGE);
  }
};
