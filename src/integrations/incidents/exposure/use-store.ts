import type { Queries } from '../../../platform/index.ts';
import type { RequestSource } from '../../request-log/logged-request.ts';

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

/**
 * Lists them up to an hour, which is included. The team is compared as an expression, because SQLite would read all uses of
 * the team's tokens otherwise.
 */
export const listTokenUses = (
  queries: Queries,
  { teamId, connectionId }: { teamId: string; connectionId: string },
  lastHour: number,
): Promise<TokenUse[]> =>
  queries.all(
    `select token_id as "tokenId", min(hour) as "firstHour", max(hour) as "lastHour",
        cast(sum(requests) as bigint) as requests
      from connection_usage_by_token where team_id || '' = $1 and connection_id = $2 and hour <= $3
      group by token_id order by token_id`,
    [teamId, connectionId, lastHour],
  );

/** Which connection, in the log of requests. */
type LoggedConnection = { teamId: string; provider: string; name: string; connectionId: string };

const OF_CONNECTION = 'team_id = $1 and provider = $2 and connection = $3 and connection_id = $4';
const valuesOf = ({ teamId, provider, name, connectionId }: LoggedConnection) => [teamId, provider, name, connectionId];

type LoggedCaller = Pick<RequestSource, 'kind' | 'via' | 'userId' | 'tokenId' | 'tokenName'> & { caller: string };

/**
 * The logged requests of one caller to one connection. `firstId` and `lastId` say when, and are null if there were none in
 * time. `logged` also counts those that came later.
 */
export type CallerUse = LoggedCaller & {
  firstId: string | null;
  lastId: string | null;
  requests: number;
  oldestId: string;
  logged: number;
};

/** Lists them: `requests` are those before the ID `inTime`, and `logged` those before the ID `counted`. */
export const listCallerUses = (
  queries: Queries,
  connection: LoggedConnection,
  { inTime, counted }: { inTime: string; counted: string },
): Promise<CallerUse[]> =>
  queries.all(
    `select kind, via, caller, min(user_id) as "userId", token_id as "tokenId", min(token_name) as "tokenName",
        min(case when id < $5 then oldest_id end) as "firstId", max(case when id < $5 then id end) as "lastId",
        cast(sum(case when id < $5 then number else 0 end) as bigint) as requests,
        min(oldest_id) as "oldestId", cast(sum(number) as bigint) as logged
      from request_groups where ${OF_CONNECTION} and id < $6
      group by kind, via, caller, token_id order by kind, caller`,
    [...valuesOf(connection), inTime, counted],
  );

/** A sealed group of requests. */
export type SealedUse = LoggedCaller & { id: string; teamId: string; requests: string };

/** Lists the groups of a connection whose newest request is between two IDs. */
export const listSealedUses = (
  queries: Queries,
  connection: LoggedConnection,
  { from, before, limit }: { from: string; before: string; limit: number },
): Promise<SealedUse[]> =>
  queries.all(
    `select id, team_id as "teamId", kind, via, caller, user_id as "userId", token_id as "tokenId",
        token_name as "tokenName", requests
      from request_groups where ${OF_CONNECTION} and id >= $5 and id < $6 order by id limit $7`,
    [...valuesOf(connection), from, before, limit],
  );
