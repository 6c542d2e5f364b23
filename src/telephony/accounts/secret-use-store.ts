import { defineRow, type Queries } from '../../platform/index.ts';

const SECRET_USE = defineRow({ accountId: 'text', secretId: 'text', lastUsedAt: 'bigint' });

/**
 * Records when secrets were last used. Every process locks the rows in the same order, by account and secret, so that
 * two processes can't deadlock.
 */
export const recordSecretUses = (
  queries: Queries,
  uses: readonly { accountId: string; secretId: string; lastUsedAt: number }[],
): Promise<number> =>
  queries.runFrom(
    SECRET_USE.toTable(uses),
    `insert into telephony_secret_uses (account_id, secret_id, last_used_at)
      select account_id, secret_id, max(last_used_at) from rows where true
      group by account_id, secret_id order by account_id, secret_id
      on conflict (account_id, secret_id) do update set last_used_at = excluded.last_used_at
      where excluded.last_used_at > telephony_secret_uses.last_used_at`,
  );

export const listSecretUses = (queries: Queries, teamId: string, accountId: string) =>
  queries.all<{ secretId: string; lastUsedAt: number }>(
    `select secret_id as "secretId", last_used_at as "lastUsedAt" from telephony_secret_uses
      where account_id = (select id from telephony_accounts where team_id = $1 and id = $2)`,
    [teamId, accountId],
  );

const OWNED_SECRET = defineRow({ teamId: 'text', accountId: 'text', secretId: 'text' });

/**
 * Deletes the uses of all secrets that the account no longer has. That includes secrets replaced earlier, because a use
 * may have been recorded after its secret was replaced.
 */
export const deleteOtherSecretUses = (
  queries: Queries,
  { teamId, id: accountId }: { teamId: string; id: string },
  secrets: readonly { id: string }[],
): Promise<number> =>
  queries.runFrom(
    OWNED_SECRET.toTable(secrets.map(({ id: secretId }) => ({ teamId, accountId, secretId }))),
    `delete from telephony_secret_uses
      where account_id in (select a.id from rows join telephony_accounts a on a.id = rows.account_id and a.team_id = rows.team_id)
      and secret_id not in (select secret_id from rows)`,
  );

export const deleteSecretUses = (queries: Queries, teamId: string, accountId: string): Promise<number> =>
  queries.run(
    `delete from telephony_secret_uses
      where account_id = (select id from telephony_accounts where team_id = $1 and id = $2)`,
    [teamId, accountId],
  );
