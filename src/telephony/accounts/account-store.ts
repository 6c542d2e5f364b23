import { BEFORE_IDS, deleteInPieces, insertRow, type Queries, type Transaction } from '../../platform/index.ts';
import type { TelephonyAccount } from './account.ts';

/** An account as it is stored. `secrets` and `api` are sealed. */
export type AccountRow = Pick<TelephonyAccount, 'id' | 'teamId' | 'provider' | 'mode' | 'observeUntil'> & {
  externalId: string | null;
  secrets: string;
  api: string | null;
  removesArchived: number;
  simulated: number;
  createdAt: number;
  removedAt: number | null;
};

const SELECTED = `id, team_id as "teamId", provider, external_id as "externalId", secrets, api, mode,
  observe_until as "observeUntil", removes_archived as "removesArchived", simulated, created_at as "createdAt",
  removed_at as "removedAt"`;

/**
 * Takes the next change number. The update locks the counter's row until this transaction ends, so changes commit in
 * the order of their numbers.
 */
export const takeChange = async (tx: Transaction): Promise<number> => {
  const row = await tx.get<{ latest: number }>(
    'update telephony_changes set latest = latest + 1 where id = 1 returning latest',
  );
  if (!row) throw new Error('The change counter is missing.');
  return row.latest;
};

/** Returns the latest change number. `forgotten` is the highest change number whose row has been deleted. */
export const getLatestChange = async (queries: Queries): Promise<{ latest: number; forgotten: number }> =>
  (await queries.get<{ latest: number; forgotten: number }>(
    'select latest, forgotten from telephony_changes where id = 1',
  )) ?? { latest: 0, forgotten: 0 };

/** Records that this transaction deletes rows of removed accounts or numbers, up to the change number `change`. */
export const forgetChange = (tx: Transaction, change: number): Promise<number> =>
  tx.run('update telephony_changes set forgotten = $1 where id = 1 and forgotten < $1', [change]);

export const insertAccount = (queries: Queries, account: AccountRow, change: number): Promise<number> =>
  insertRow(queries, 'telephony_accounts', { ...account, change });

/**
 * Updates an account, but not its provider. Does nothing if someone else changed the account after `before` was read.
 * Comparing the sealed secrets shows that: every change seals them again, which gives a different text.
 */
export const updateAccount = (
  queries: Queries,
  before: AccountRow,
  { externalId, secrets, api, mode, observeUntil, removesArchived }: AccountRow,
  change: number,
): Promise<number> =>
  queries.run(
    `update telephony_accounts set external_id = $5, secrets = $6, api = $7, mode = $8, observe_until = $9,
      removes_archived = $10, change = $11 where team_id = $1 and id = $2 and removed_at is null
      and secrets = $3 and coalesce(api, '') = $4`,
    [
      ...[before.teamId, before.id, before.secrets, before.api ?? ''],
      ...[externalId, secrets, api, mode, observeUntil, removesArchived, change],
    ],
  );

/**
 * Removes an account. Its secrets are erased immediately. The row stays for the calls that came through the account.
 */
export const removeAccount = (queries: Queries, teamId: string, id: string, change: number, now: number) =>
  queries.run(
    `update telephony_accounts set secrets = '', api = null, change = $3, removed_at = $4
      where team_id = $1 and id = $2 and removed_at is null`,
    [teamId, id, change, now],
  );

/**
 * Removes all accounts of a team that is being erased, each with a change number of its own. The rows are deleted
 * later. A process that hasn't read these changes by then sees from `forgotten` that accounts are gone.
 */
export const removeAccountsOfTeam = async (tx: Transaction, teamId: string, now: number): Promise<void> => {
  const count = await countAccounts(tx, teamId);
  if (count === 0) return;
  const row = await tx.get<{ latest: number }>(
    'update telephony_changes set latest = latest + $1, forgotten = latest + $1 where id = 1 returning latest',
    [count],
  );
  await tx.run(
    `update telephony_accounts set secrets = '', api = null, removed_at = $2, change = $3 + numbered.n
      from (select id, row_number() over (order by id) as n from telephony_accounts
        where team_id = $1 and removed_at is null) as numbered where telephony_accounts.id = numbered.id`,
    [teamId, now, (row?.latest ?? 0) - count],
  );
};

/** Lists which of these accounts still have a row. */
export const listStillThere = async (queries: Queries, ids: readonly string[]): Promise<string[]> => {
  const rows = await queries.allFrom<{ id: string }>(
    { columns: { id: 'text' }, rows: ids.map((id) => [id]) },
    'select a.id from rows join telephony_accounts a on a.id = rows.id',
  );
  return rows.map(({ id }) => id);
};

/** Lists the ids of all accounts of a team, including removed ones. */
export const listAllAccountIds = async (queries: Queries, teamId: string): Promise<string[]> =>
  (await queries.all<{ id: string }>('select id from telephony_accounts where team_id = $1', [teamId])).map(
    ({ id }) => id,
  );

/**
 * Deletes the accounts of a team, and rows that only belong to them. No other rows may refer to these accounts anymore.
 * Raises `forgotten`, so that other processes drop the accounts from memory.
 */
export const deleteAccountsOfTeam = async (
  queries: Queries,
  teamId: string,
  pace: () => Promise<void>,
): Promise<void> => {
  const ofTeam = 'account_id in (select id from telephony_accounts where team_id = $1)';
  const secretUses = { from: 'telephony_secret_uses', key: 'account_id, secret_id', where: ofTeam };
  await deleteInPieces(queries, secretUses, [teamId], pace);
  const accounts = { from: 'telephony_accounts', key: 'id', where: 'team_id = $1' };
  if ((await deleteInPieces(queries, accounts, [teamId], pace)) === 0) return;
  await queries.run('update telephony_changes set latest = latest + 1, forgotten = latest + 1 where id = 1');
};

export const getAccount = (queries: Queries, teamId: string, id: string): Promise<AccountRow | undefined> =>
  queries.get<AccountRow>(
    `select ${SELECTED} from telephony_accounts where team_id = $1 and id = $2 and removed_at is null`,
    [teamId, id],
  );

/** Locks an account until the transaction ends. Returns whether the account exists. */
export const lockAccount = async (tx: Transaction, teamId: string, id: string): Promise<boolean> =>
  (await tx.get('select id from telephony_accounts where team_id = $1 and id = $2 and removed_at is null for update', [
    teamId,
    id,
  ])) !== undefined;

/** Lists a team's accounts after the given id, oldest first. */
export const listAccounts = (queries: Queries, teamId: string, after: string | null, limit: number) =>
  queries.all<AccountRow>(
    `select ${SELECTED} from telephony_accounts where team_id = $1 and removed_at is null and id > $2 order by id limit $3`,
    [teamId, after ?? BEFORE_IDS, limit],
  );

export type AccountName = Pick<TelephonyAccount, 'id' | 'provider' | 'accountId'>;

/** Lists the names of all accounts of a team except simulated ones. A team has a thousand at most. */
export const listAccountNames = (queries: Queries, teamId: string): Promise<AccountName[]> =>
  queries.all<AccountName>(
    `select id, provider, external_id as "accountId" from telephony_accounts
      where team_id = $1 and removed_at is null and simulated = 0 order by id limit 1000`,
    [teamId],
  );

export const countAccounts = async (queries: Queries, teamId: string): Promise<number> => {
  const text = 'select count(*) as n from telephony_accounts where team_id = $1 and removed_at is null';
  return (await queries.get<{ n: number }>(text, [teamId]))?.n ?? 0;
};

/** Lists accounts, in all teams, with a change number above `after`. The switchboard reads them into memory. */
export const listChangedAccounts = (queries: Queries, after: number, limit: number) =>
  queries.all<AccountRow & { change: number }>(
    `select ${SELECTED}, change from telephony_accounts where change > $1 order by change limit $2`,
    [after, limit],
  );

/**
 * Lists accounts, in all teams, that weren't removed. The switchboard of a process that has just started reads them, in
 * the order of their changes.
 */
export const listLiveAccounts = (queries: Queries, after: number, limit: number) =>
  queries.all<AccountRow & { change: number }>(
    `select ${SELECTED}, change from telephony_accounts where removed_at is null and change > $1
      order by change limit $2`,
    [after, limit],
  );
