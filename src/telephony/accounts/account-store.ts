import { BEFORE_IDS, type Queries, type Transaction } from '../../platform/index.ts';
import type { Mode } from './account.ts';

/** As it is stored: `secrets` and `api` are sealed. */
export type AccountRow = {
  id: string;
  teamId: string;
  provider: string;
  externalId: string | null;
  secrets: string;
  api: string | null;
  mode: Mode;
  observeUntil: number | null;
  removesArchived: number;
  createdAt: number;
  removedAt: number | null;
};

const SELECTED = `id, team_id as "teamId", provider, external_id as "externalId", secrets, api, mode,
  observe_until as "observeUntil", removes_archived as "removesArchived", created_at as "createdAt",
  removed_at as "removedAt"`;

/** The number of the next change. Taking it blocks others until the transaction ends, so changes are ordered. */
export const takeChange = async (tx: Transaction): Promise<number> => {
  const row = await tx.get<{ latest: number }>(
    'update telephony_changes set latest = latest + 1 where id = 1 returning latest',
  );
  if (!row) throw new Error('The change counter is missing.');
  return row.latest;
};

export const getLatestChange = async (queries: Queries): Promise<number> =>
  (await queries.get<{ latest: number }>('select latest from telephony_changes where id = 1'))?.latest ?? 0;

export const insertAccount = (queries: Queries, account: AccountRow, change: number): Promise<number> =>
  queries.run(
    `insert into telephony_accounts (id, team_id, provider, external_id, secrets, api, mode, observe_until,
      removes_archived, change, created_at) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    [
      account.id,
      account.teamId,
      account.provider,
      account.externalId,
      account.secrets,
      account.api,
      account.mode,
      account.observeUntil,
      account.removesArchived,
      change,
      account.createdAt,
    ],
  );

/** What can be changed; the provider can't. */
export const updateAccount = (queries: Queries, account: AccountRow, change: number): Promise<number> =>
  queries.run(
    `update telephony_accounts set external_id = $3, secrets = $4, api = $5, mode = $6, observe_until = $7,
      removes_archived = $8, change = $9 where team_id = $1 and id = $2 and removed_at is null`,
    [
      account.teamId,
      account.id,
      account.externalId,
      account.secrets,
      account.api,
      account.mode,
      account.observeUntil,
      account.removesArchived,
      change,
    ],
  );

/** Its secrets are erased immediately; the row stays for the calls that came through it. */
export const removeAccount = (
  queries: Queries,
  teamId: string,
  id: string,
  change: number,
  now: number,
): Promise<number> =>
  queries.run(
    `update telephony_accounts set secrets = '', api = null, change = $3, removed_at = $4
      where team_id = $1 and id = $2 and removed_at is null`,
    [teamId, id, change, now],
  );

export const getAccount = (queries: Queries, teamId: string, id: string): Promise<AccountRow | undefined> =>
  queries.get<AccountRow>(
    `select ${SELECTED} from telephony_accounts where team_id = $1 and id = $2 and removed_at is null`,
    [teamId, id],
  );

export const getAccountForUpdate = (queries: Queries, teamId: string, id: string): Promise<AccountRow | undefined> =>
  queries.get<AccountRow>(
    `select ${SELECTED} from telephony_accounts where team_id = $1 and id = $2 and removed_at is null for update`,
    [teamId, id],
  );

/** Oldest first, after the given id. */
export const listAccounts = (
  queries: Queries,
  teamId: string,
  after: string | null,
  limit: number,
): Promise<AccountRow[]> =>
  queries.all<AccountRow>(
    `select ${SELECTED} from telephony_accounts where team_id = $1 and removed_at is null and id > $2 order by id limit $3`,
    [teamId, after ?? BEFORE_IDS, limit],
  );

export type AccountName = { id: string; provider: string; accountId: string | null };

/** Every account, names only; a team has a thousand at most. */
export const listAccountNames = (queries: Queries, teamId: string): Promise<AccountName[]> =>
  queries.all<AccountName>(
    `select id, provider, external_id as "accountId" from telephony_accounts
      where team_id = $1 and removed_at is null order by id limit 1000`,
    [teamId],
  );

export const countAccounts = async (queries: Queries, teamId: string): Promise<number> =>
  (
    await queries.get<{ n: number }>(
      'select count(*) as n from telephony_accounts where team_id = $1 and removed_at is null',
      [teamId],
    )
  )?.n ?? 0;

/** For every team, to answer from memory. */
export const listChangedAccounts = (
  queries: Queries,
  after: number,
  limit: number,
): Promise<(AccountRow & { change: number })[]> =>
  queries.all(`select ${SELECTED}, change from telephony_accounts where change > $1 order by change limit $2`, [
    after,
    limit,
  ]);

export type SecretUse = { accountId: string; secretId: string; at: number };

/** Ordered by name, which is also the order of locking. */
export const recordSecretUses = (queries: Queries, uses: readonly SecretUse[]): Promise<number> =>
  queries.runFrom(
    {
      columns: { account_id: 'text', secret_id: 'text', last_used_at: 'bigint' },
      rows: uses.map(({ accountId, secretId, at }) => [accountId, secretId, at]),
    },
    `insert into telephony_secret_uses (account_id, secret_id, last_used_at)
      select account_id, secret_id, max(last_used_at) from rows where true
      group by account_id, secret_id order by account_id, secret_id
      on conflict (account_id, secret_id) do update set last_used_at = excluded.last_used_at
      where excluded.last_used_at > telephony_secret_uses.last_used_at`,
  );

export const listSecretUses = (
  queries: Queries,
  teamId: string,
  accountId: string,
): Promise<{ secretId: string; lastUsedAt: number }[]> =>
  queries.all(
    `select secret_id as "secretId", last_used_at as "lastUsedAt" from telephony_secret_uses
      where account_id = (select id from telephony_accounts where team_id = $1 and id = $2)`,
    [teamId, accountId],
  );
