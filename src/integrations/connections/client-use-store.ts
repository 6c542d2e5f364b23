import type { Queries } from '../../platform/index.ts';
import { isBeingRevoked } from '../containment/consent-store.ts';
import type { Connection } from './connection.ts';

/** An operator's or a team's client, at the host that issues its tokens. */
export type UsedClient = Pick<Connection, 'provider' | 'clientId' | 'clientOf' | 'authority'>;

/** A grant, and the hosts that others with the same one may have stored. Null for any host. */
export type Grant = Omit<UsedClient, 'authority'> &
  Pick<Connection, 'id' | 'accountId' | 'installationId' | 'accountFrom'> & {
    authorities: readonly [string, string] | null;
  };

/**
 * SQL for connections that haven't ended for good. A connection has ended if it needs a reconnect and isn't tried
 * again, or if it has expired and can't be refreshed.
 */
const hasNotEnded = (now: `$${number}`): string =>
  `(refresh_due_at is not null or (status <> 'needs_reconnect' and (expires_at is null or expires_at > ${now})))`;

/**
 * Whether another connection, in any team, uses the same grant: the same account, host, client and owner of the client.
 * Without the owner, a team could fake a match, because it can give its own client any ID. Without the host, it could do
 * so where the entry leaves the host open, because it can run a host that returns any account ID. Connections that have
 * ended for good are ignored: if they kept the grant from being revoked now, nothing could revoke it later. So are those
 * whose grants a containment revokes as well.
 *
 * The account of one of the two may have been read by an earlier version, which took the company for the account. Both
 * may be the same person's, so the grant is treated as shared.
 */
export const isGrantShared = async (queries: Queries, grant: Grant, now: number): Promise<boolean> => {
  const { id, provider, accountId, installationId, accountFrom, clientId, clientOf, authorities } = grant;
  if (accountId === null) return false;
  const others = `select 1 as one from connections where provider = $1 and client_id = $2 and client_of = $3
    and (cast($4 as text) is null or authority = $4 or authority = $10) and id <> $5 and ${hasNotEnded('$6')} and not ${isBeingRevoked('connections')}`;
  const readOtherwise = `coalesce(account_from, '') <> $9`;
  // Three queries instead of one with `or`, because SQLite would read all connections of the provider for that.
  const row = await queries.get(
    `${others} and account_id = $7
      union all ${others} and account_id = $8 and ${readOtherwise}
      union all ${others} and installation_id = $7 and ${readOtherwise} limit 1`,
    [
      ...[provider, clientId, clientOf, authorities?.[0] ?? null, id, now],
      ...[accountId, installationId, accountFrom ?? '', authorities?.[1] ?? null],
    ],
  );
  return row !== undefined;
};

/** How much a client is used. Connections that have ended for good aren't counted. */
export type ClientUse = { connections: number; lastWorkedAt: number | null };

/**
 * Counts the connections that use the operator's client, in all teams, at one host or (with null) at all hosts. Also
 * returns when the client last got tokens.
 */
export const getClientUse = async (
  queries: Queries,
  { provider, clientId, authority }: { provider: string; clientId: string; authority: string | null },
  now: number,
): Promise<ClientUse> => {
  const use = await queries.get<ClientUse>(
    `select cast(count(case when ${hasNotEnded('$4')} then 1 end) as int) as connections,
        max(coalesce(refreshed_at, connected_at)) as "lastWorkedAt" from connections
      where provider = $1 and client_id = $2 and client_of = 'operator' and authority = coalesce($3, authority)`,
    [provider, clientId, authority, now],
  );
  return use ?? { connections: 0, lastWorkedAt: null };
};

/**
 * Makes given-up connections due for a refresh, so that they don't wait for their daily attempt. Includes all teams'
 * connections that use the operator's client at one host. Returns how many. If it returns `limit`, there may be more.
 */
export const wakeGivenUp = (
  queries: Queries,
  { provider, clientId, authority }: Omit<UsedClient, 'clientOf'>,
  now: number,
  limit: number,
): Promise<number> =>
  queries.run(
    `update connections set refresh_due_at = $4 where id in (select id from connections where provider = $1
      and client_id = $2 and client_of = 'operator' and authority = $3 and status = 'needs_reconnect'
      and refresh_due_at > $4 order by id limit $5)`,
    [provider, clientId, authority, now, limit],
  );

/** Makes a team's given-up connections due for a refresh, if they use the team's own client. */
export const wakeGivenUpOfTeam = (
  queries: Queries,
  { teamId, provider, clientId }: Pick<Connection, 'teamId' | 'provider' | 'clientId'>,
  now: number,
): Promise<number> =>
  queries.run(
    `update connections set refresh_due_at = $4 where team_id = $1 and provider = $2 and client_id = $3
      and client_of = 'team' and status = 'needs_reconnect' and refresh_due_at > $4`,
    [teamId, provider, clientId, now],
  );
