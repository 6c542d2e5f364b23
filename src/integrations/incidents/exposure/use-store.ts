import type { Queries } from '../../../platform/index.ts';

/**
 * Lists the connections of a team that requests were made to with an access token: in the last 90 days by the counts, and
 * in the last seven days by the log.
 */
export const listConnectionsUsedWith = async (queries: Queries, teamId: string, tokenId: string): Promise<string[]> => {
  const rows = await queries.all<{ id: string }>(
    `select connection_id as id from connection_usage_by_token where team_id = $1 and token_id = $2
      union select connection_id from request_groups where team_id = $1 and caller = $2 and connection_id <> ''`,
    [teamId, tokenId],
  );
  return rows.map(({ id }) => id);
};

/** The requests that one access token made to one connection, by hours. */
export type TokenUse = { tokenId: string; firstHour: number; lastHour: number; requests: number };

/** The team is compared as an expression, because SQLite would read all uses of the team's tokens otherwise. */
export const listTokenUses = (queries: Queries, teamId: string, connectionId: string): Promise<TokenUse[]> =>
  queries.all(
    `select token_id as "tokenId", min(hour) as "firstHour", max(hour) as "lastHour",
        cast(sum(requests) as bigint) as requests
      from connection_usage_by_token where team_id || '' = $1 and connection_id = $2 group by token_id order by token_id`,
    [teamId, connectionId],
  );

/** The logged requests of one caller to one connection. `firstId` and `lastId` say when. */
export type CallerUse = {
  kind: string;
  via: string;
  userId: string;
  tokenId: string | null;
  tokenName: string | null;
  firstId: string;
  lastId: string;
  requests: number;
};

export const listCallerUses = (
  queries: Queries,
  { teamId, provider, name, connectionId }: { teamId: string; provider: string; name: string; connectionId: string },
): Promise<CallerUse[]> =>
  queries.all(
    `select kind, via, min(user_id) as "userId", token_id as "tokenId", min(token_name) as "tokenName",
        min(oldest_id) as "firstId", max(id) as "lastId", cast(sum(number) as bigint) as requests
      from request_groups where team_id = $1 and provider = $2 and connection = $3 and connection_id = $4
      group by kind, via, caller, token_id order by kind, caller`,
    [teamId, provider, name, connectionId],
  );
