import type { Queries } from '../../platform/index.ts';
import type { ConnectionKey } from '../connections/connection.ts';
import type { Held } from './withdrawal.ts';

/** A connection that may hold a withdrawn grant. */
type Holder = ConnectionKey & Held & { id: string };

/** Lists a page of connections, in all teams, to one account through the operator's client. Ordered by ID. */
export const listHolders = async (
  queries: Queries,
  { provider, accountId, clientId }: { provider: string; accountId: string; clientId: string },
  { after, limit }: { after: string; limit: number },
): Promise<Holder[]> => {
  const rows = await queries.all<Omit<Holder, 'details'> & { details: string }>(
    `select id, team_id as "teamId", provider, name, account_id as "accountId", client_id as "clientId",
        client_of as "clientOf", connected_at as "connectedAt", details, status, refresh_due_at as "refreshDueAt"
      from connections where provider = $1 and account_id = $2 and client_id = $3 and client_of = 'operator'
        and id > $4 order by id limit $5`,
    [provider, accountId, clientId, after, limit],
  );
  return rows.map((row) => ({ ...row, details: JSON.parse(row.details) }));
};
