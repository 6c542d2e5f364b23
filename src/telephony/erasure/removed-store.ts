import type { Queries, Transaction } from '../../platform/index.ts';

/** Position of a removed row in the order of pruning. `change` breaks ties, because it's unique. */
type RemovedPlace = { removedAt: number; change: number };

const PIECE = 200;

/** Deletes some of the numbers that were removed before this time. Returns their change numbers. */
export const deleteRemovedNumbers = async (tx: Transaction, before: number): Promise<number[]> => {
  const rows = await tx.all<{ change: number }>(
    `delete from telephony_numbers where id in (
      select id from telephony_numbers where removed_at < $1 limit ${PIECE}) returning change`,
    [before],
  );
  return rows.map(({ change }) => change);
};

/** Lists a page of accounts, in all teams, that were removed before this time, longest ago first. */
export const listRemovedAccounts = (queries: Queries, { removedAt, change }: RemovedPlace, before: number) =>
  queries.all<RemovedPlace & { id: string }>(
    `select id, removed_at as "removedAt", change from telephony_accounts
      where removed_at < $3 and (removed_at, change) > ($1, $2) order by removed_at, change limit ${PIECE}`,
    [removedAt, change, before],
  );

/** SQL conditions for an account that no row refers to. Each uses an index that begins with the account. */
const REFERRING = [
  'deliveries r where r.call_key is not null and',
  "deliveries r where r.call_key is null and r.state <> 'received' and",
  'calls r where',
  'recordings r where',
  'held_deliveries r where',
  'telephony_refusals r where',
  'telephony_numbers r where',
].map((from) => `not exists (select 1 from ${from} r.account_id = telephony_accounts.id)`);

/**
 * Deletes accounts that no row refers to, and the uses of their secrets. Returns the change numbers of these accounts.
 */
export const deleteUnusedAccounts = async (tx: Transaction, ids: readonly string[]): Promise<number[]> => {
  const table = { columns: { id: 'text' } as const, rows: ids.map((id) => [id]) };
  await tx.runFrom(table, 'delete from telephony_secret_uses where account_id in (select id from rows)');
  const rows = await tx.allFrom<{ change: number }>(
    table,
    `delete from telephony_accounts where id in (select id from rows) and removed_at is not null
      and ${REFERRING.join(' and ')} returning change`,
  );
  return rows.map(({ change }) => change);
};
