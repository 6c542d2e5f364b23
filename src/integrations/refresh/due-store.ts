import type { Queries } from '../../platform/index.ts';
import type { ConnectionKey } from '../connections/connection.ts';

/** The column with the time at which a job has something to do for a connection. */
type DueTime = 'refresh_due_at' | 'verify_due_at';

/**
 * Lists every provider that has connections with such a time. Takes one look-up per provider, however many connections
 * there are.
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

/** Lists a provider's connections whose time has come, in all teams, the longest due first. */
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

/** Lists connections whose time is further ahead than it can be, because it was written while the clock was ahead. */
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
