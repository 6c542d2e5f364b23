import { defineRow, deleteInPieces, type Queries } from '../../platform/index.ts';

/** How much a connection was used in one hour: with one access token, or without any. */
export type Usage = {
  teamId: string;
  connectionId: string;
  tokenId: string | null;
  hour: number;
  requests: number;
  failures: number;
  bytes: number;
  usedAt: number;
};

const USAGE = defineRow({
  teamId: 'text',
  connectionId: 'text',
  tokenId: 'text',
  hour: 'bigint',
  requests: 'bigint',
  failures: 'bigint',
  bytes: 'bigint',
  usedAt: 'bigint',
});

const SUMS = ['requests', 'rows.failures', 'bytes'].map((column) => `cast(sum(${column}) as bigint)`).join(', ');

/**
 * Adds usage. Rows are inserted in a fixed order, so that processes don't deadlock. Skips connections that are gone.
 */
export const addUsage = async (queries: Queries, rows: readonly Usage[]): Promise<void> => {
  const table = USAGE.toTable(rows);
  await queries.runFrom(
    table,
    `insert into connection_usage (team_id, connection_id, hour, requests, failures, bytes)
      select rows.team_id, connection_id, hour, ${SUMS}
        from rows join connections on connections.id = connection_id and connections.team_id = rows.team_id
        where true group by rows.team_id, connection_id, hour order by connection_id, hour
      on conflict (connection_id, hour) do update set requests = connection_usage.requests + excluded.requests,
        failures = connection_usage.failures + excluded.failures, bytes = connection_usage.bytes + excluded.bytes`,
  );
  await queries.runFrom(
    table,
    `insert into connection_usage_by_token (team_id, connection_id, token_id, hour, requests, failures, bytes)
      select rows.team_id, connection_id, token_id, hour, ${SUMS}
        from rows join connections on connections.id = connection_id and connections.team_id = rows.team_id
        where token_id is not null group by rows.team_id, connection_id, token_id, hour
        order by connection_id, token_id, hour
      on conflict (connection_id, token_id, hour) do update
        set requests = connection_usage_by_token.requests + excluded.requests,
          failures = connection_usage_by_token.failures + excluded.failures,
          bytes = connection_usage_by_token.bytes + excluded.bytes`,
  );
  await queries.runFrom(
    table,
    `update connections set used_at = (select max(rows.used_at) from rows where connection_id = connections.id)
      where id in (select connection_id from rows)
        and team_id = (select max(rows.team_id) from rows where connection_id = connections.id)`,
  );
};

/** How much a connection was used within 24 hours. Day 0 is the first day. */
export type DayUsage = {
  provider: string;
  connection: string;
  day: number;
  requests: number;
  failures: number;
  bytes: number;
};

/**
 * Lists the daily use of a team's connections to some providers. SQLite runs a cross join from left to right, so
 * connections come first: there are far fewer of them than rows of usage.
 */
export const listDailyUsage = (
  queries: Queries,
  teamId: string,
  { providers, since }: { providers: readonly string[]; since: number },
): Promise<DayUsage[]> =>
  queries.allFrom<DayUsage>(
    {
      columns: { team_id: 'text', provider: 'text', since: 'bigint' },
      rows: providers.map((provider) => [teamId, provider, since]),
    },
    `select c.provider, c.name as connection, (u.hour - rows.since) / 24 as day,
        cast(sum(u.requests) as bigint) as requests, cast(sum(u.failures) as bigint) as failures,
        cast(sum(u.bytes) as bigint) as bytes
      from rows cross join connections c cross join connection_usage u
      where c.team_id = rows.team_id and c.provider = rows.provider
        and u.connection_id = c.id and u.hour >= rows.since
      group by c.provider, c.name, (u.hour - rows.since) / 24`,
  );

/** Deletes old usage of all teams. */
export const deleteUsageBefore = async (queries: Queries, hour: number): Promise<void> => {
  for (const [from, key] of [
    ['connection_usage', 'connection_id, hour'],
    ['connection_usage_by_token', 'connection_id, token_id, hour'],
  ] as const)
    await deleteInPieces(queries, { from, key, where: 'hour < $1' }, [hour]);
};
