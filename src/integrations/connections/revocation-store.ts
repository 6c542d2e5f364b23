import { deleteInPieces, type Queries } from '../../platform/index.ts';

/** A grant that the team has given up, but that the provider may not have ended yet. */
export type Revocation = {
  id: string;
  teamId: string;
  provider: string;
  tokenKind: 'access' | 'refresh';
  /** The token, sealed. */
  token: string;
  details: Record<string, string>;
  clientId: string;
  clientOf: 'operator' | 'team';
  authority: string;
  accountId: string | null;
  installationId: string | null;
  accountFrom: string | null;
  createdAt: number;
  expiresAt: number;
};

export const insertRevocation = (queries: Queries, revocation: Revocation): Promise<number> => {
  const { id, teamId, provider, tokenKind, token, clientId, clientOf, authority } = revocation;
  const { accountId, installationId, accountFrom, createdAt, expiresAt } = revocation;
  const details = JSON.stringify(revocation.details);
  return queries.run(
    `insert into revocations (id, team_id, provider, token_kind, token, details, client_id, client_of, authority,
      account_id, installation_id, account_from, created_at, expires_at)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
    [
      ...[id, teamId, provider, tokenKind, token, details, clientId, clientOf, authority],
      ...[accountId, installationId, accountFrom, createdAt, expiresAt],
    ],
  );
};

export const getRevocation = async (queries: Queries, teamId: string, id: string): Promise<Revocation | undefined> => {
  const row = await queries.get<Omit<Revocation, 'details'> & { details: string }>(
    `select id, team_id as "teamId", provider, token_kind as "tokenKind", token, details, client_id as "clientId",
      client_of as "clientOf", authority, account_id as "accountId", installation_id as "installationId",
      account_from as "accountFrom", created_at as "createdAt", expires_at as "expiresAt"
      from revocations where team_id = $1 and id = $2`,
    [teamId, id],
  );
  return row && { ...row, details: JSON.parse(row.details) };
};

/** Counts the team's pending revocations, up to a limit. */
export const countRevocations = async (queries: Queries, teamId: string, most: number): Promise<number> => {
  const row = await queries.get<{ n: number }>(
    'select count(*) as n from (select 1 from revocations where team_id = $1 limit $2) as waiting',
    [teamId, most],
  );
  return row?.n ?? 0;
};

/** Lists the providers where a pending revocation needs the team's own client. */
export const listOwnClientRevocations = async (queries: Queries, teamId: string): Promise<string[]> => {
  const rows = await queries.all<{ provider: string }>(
    "select distinct provider from revocations where team_id = $1 and client_of = 'team'",
    [teamId],
  );
  return rows.map(({ provider }) => provider);
};

/**
 * Stores the new refresh token if the grant had to be refreshed before it could be revoked. The old token may be used
 * up.
 */
export const changeRevocationToken = (queries: Queries, teamId: string, id: string, token: string): Promise<number> =>
  queries.run('update revocations set token = $3 where team_id = $1 and id = $2', [teamId, id, token]);

export const deleteRevocation = (queries: Queries, teamId: string, id: string): Promise<number> =>
  queries.run('delete from revocations where team_id = $1 and id = $2', [teamId, id]);

export const deleteRevocationsOfTeam = (queries: Queries, teamId: string, pace: () => Promise<void>): Promise<number> =>
  deleteInPieces(queries, { from: 'revocations', key: 'id', where: 'team_id = $1' }, [teamId], pace);

export const deleteOldRevocations = (queries: Queries, now: number): Promise<number> =>
  deleteInPieces(queries, { from: 'revocations', key: 'id', where: 'expires_at < $1' }, [now]);
