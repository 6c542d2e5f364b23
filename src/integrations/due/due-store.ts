import type { Queries } from '../../platform/index.ts';
import type { ConnectionKey } from '../connections/connection.ts';

/** The column with the time at which a job has to work on a connection. */
type DueTime = 'refresh_due_at' | 'verify_due_at';

/**
 * Lists the providers of all connections that have this time set. Queries the index once per provider, however many
 * connections there are.
 */
export const listProvidersWith = async (queries: Queries, time: DueTime): Promise<string[]> => {
  const rows = await queries.all<{ provider: string }>(
    `with recursive known (provider) as (
      select min(provider) from connections where ${time} is not null
      union all
      select (select min(provider) from connections where ${time} is not null and provider > known.provider)
        from known where known.provider is not null
    ) select provider from known where provider is not null`,
    [],
  );
  return rows.map(({ provider }) => provider);
};

/** Lists a provider's connections that are due, in all teams. Those that have been due longest come first. */
export const listDueAt = (
  queries: Queries,
  time: DueTime,
  { provider, now, limit }: { provider: string; now: number; limit: number },
): Promise<ConnectionKey[]> =>
  queries.all(
    `select team_id as "teamId", provider, name from connections
      where provider = $1 and ${time} <= $2 order by ${time} limit $3`,
    [provider, now, limit],
  );

/** Lists connections whose time is later than possible, because it was written while the clock was ahead. */
export const listDueAfter = (
  queries: Queries,
  time: DueTime,
  { provider, after, limit }: { provider: string; after: number; limit: number },
): Promise<ConnectionKey[]> =>
  queries.all(
    `select team_id as "teamId", provider, name from connections
      where provider = $1 and ${time} > $2 order by ${time} limit $3`,
    [provider, after, limit],
  );
