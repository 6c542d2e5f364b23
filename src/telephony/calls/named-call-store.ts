import { defineRow, type Queries } from '../../platform/index.ts';

type CallName = { teamId: string; accountId: string; callKey: string };

const NAME = defineRow({ teamId: 'text', accountId: 'text', callKey: 'text' });

/**
 * Finds calls by their account and key. `id` is null if there is no such call. If the account doesn't exist, its calls
 * are left out.
 */
export const listNamedCalls = (
  queries: Queries,
  names: readonly CallName[],
): Promise<{ accountId: string; callKey: string; id: string | null }[]> =>
  queries.allFrom(
    NAME.toTable(names.map(({ teamId, accountId, callKey }) => ({ teamId, accountId, callKey }))),
    `select rows.account_id as "accountId", rows.call_key as "callKey", c.id from rows
      join telephony_accounts a on a.id = rows.account_id and a.team_id = rows.team_id
      left join calls c on c.account_id = rows.account_id and c.external_id = rows.call_key and c.team_id = rows.team_id`,
  );
