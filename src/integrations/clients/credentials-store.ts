import type { Queries } from '../../platform/index.ts';

/** A team's own client at a provider. The secret is sealed. A public client has no secret. */
export type StoredCredentials = {
  provider: string;
  clientId: string;
  clientSecret: string | null;
  /** Values of the entry's `clientFields`, sealed together. Null if there are none. */
  clientFields: string | null;
  /** The provider's params for this client, such as the customer's own host. */
  params: Record<string, string>;
  /** The scopes that the client requests. Null for the scopes of the provider's entry. */
  scopes: string[] | null;
};

export const listCredentials = async (queries: Queries, teamId: string): Promise<StoredCredentials[]> => {
  const rows = await queries.all<
    Omit<StoredCredentials, 'params' | 'scopes'> & { params: string; scopes: string | null }
  >(
    `select provider, client_id as "clientId", client_secret as "clientSecret", client_fields as "clientFields", params,
        scopes
      from provider_credentials where team_id = $1`,
    [teamId],
  );
  return rows.map(({ params, scopes, ...row }) => ({
    ...row,
    params: JSON.parse(params),
    scopes: scopes === null ? null : JSON.parse(scopes),
  }));
};

export const putCredentials = (
  queries: Queries,
  teamId: string,
  { provider, clientId, clientSecret, clientFields, params, scopes }: StoredCredentials,
  { at, by }: { at: number; by: string },
): Promise<number> =>
  queries.run(
    `insert into provider_credentials (team_id, provider, client_id, client_secret, params, created_at, created_by,
        scopes, client_fields) values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
      on conflict (team_id, provider) do update set client_id = excluded.client_id,
        client_secret = excluded.client_secret, params = excluded.params, created_at = excluded.created_at, created_by = excluded.created_by,
        scopes = excluded.scopes, client_fields = excluded.client_fields`,
    [
      ...[teamId, provider, clientId, clientSecret, JSON.stringify(params), at, by],
      ...[scopes && JSON.stringify(scopes), clientFields],
    ],
  );

/** Returns 0 if the team has no client of its own. */
export const changeCredentialScopes = (
  queries: Queries,
  teamId: string,
  provider: string,
  scopes: readonly string[] | null,
): Promise<number> =>
  queries.run('update provider_credentials set scopes = $3 where team_id = $1 and provider = $2', [
    ...[teamId, provider, scopes && JSON.stringify(scopes)],
  ]);

export const deleteCredentials = (queries: Queries, teamId: string, provider: string): Promise<number> =>
  queries.run('delete from provider_credentials where team_id = $1 and provider = $2', [teamId, provider]);

/** Makes this user the creator of all the team's clients, because the users who set them up are being erased. */
export const giveCredentialsTo = (queries: Queries, teamId: string, userId: string): Promise<number> =>
  queries.run('update provider_credentials set created_by = $2 where team_id = $1', [teamId, userId]);
