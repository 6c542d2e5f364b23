import type { Transaction } from '../../platform/index.ts';
import { forgetChange } from '../accounts/account-store.ts';
import type { TelephonyContext } from '../context.ts';
import { getOldestWaiting } from '../processing/delivery-store.ts';
import { deleteRemovedNumbers, deleteUnusedAccounts, listRemovedAccounts } from './removed-store.ts';

/**
 * How long the rows of removed accounts and numbers stay, so that every process can read from them what was removed. A
 * process that reads only later sees in `forgotten` that it missed something (see `forgetChange`).
 */
const KEPT_MS = 7 * 24 * 3_600_000;

/** Deletes the rows of removed numbers and accounts. An account's row stays as long as anything refers to it. */
export const pruneRemoved = async (
  { database }: Pick<TelephonyContext, 'database'>,
  now: number,
  signal: AbortSignal,
): Promise<void> => {
  const deletePiece = (remove: (tx: Transaction) => Promise<number[]>): Promise<number> =>
    database.transaction(async (tx) => {
      const changes = await remove(tx);
      if (changes.length > 0) await forgetChange(tx, Math.max(...changes));
      return changes.length;
    });
  // An unprocessed delivery may have arrived just before its account was removed, and still needs the account's row.
  const before = Math.min(now, (await getOldestWaiting(database)) ?? now) - KEPT_MS;
  while ((await deletePiece((tx) => deleteRemovedNumbers(tx, before))) > 0) signal.throwIfAborted();
  const listAfter = (place: Parameters<typeof listRemovedAccounts>[1]) => listRemovedAccounts(database, place, before);
  let page = await listAfter({ removedAt: 0, change: 0 });
  for (let last = page.at(-1); last; last = page.at(-1)) {
    signal.throwIfAborted();
    const ids = page.map(({ id }) => id);
    await deletePiece((tx) => deleteUnusedAccounts(tx, ids));
    page = await listAfter(last);
  }
};
