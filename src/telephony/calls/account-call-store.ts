import type { Queries } from '../../platform/index.ts';
import type { CallRow } from './call-store.ts';

export const listCallsOfAccount = (
  queries: Queries,
  teamId: string,
  accountId: string,
  limit: number,
): Promise<Pick<CallRow, 'id' | 'accountId' | 'externalId'>[]> =>
  queries.all(
    `select id, account_id as "accountId", external_id as "externalId" from calls
      where account_id = $2 and team_id = $1 order by external_id limit $3`,
    [teamId, accountId, limit],
  );
