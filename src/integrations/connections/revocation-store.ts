import { deleteInPieces, type Queries } from '../../platform/index.ts';

/** A grant that the team has given up, but that the provider may not have ended yet. */
export type Revocation = {
  id: string;
  teamId: string;
  provider: string;
  tokenKind: 'access' | 'refresh';
  /** The token, sealed. */
  token: string;
  /** An access token of the grant, sealed, if it's another one and shows whether the grant has ended. */
  accessToken: string | null;
  accessExpiresAt: number | null;
  /** When the provider said that the grant has ended, although its access token still worked. */
  answeredAt: number | null;
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
  const { accessToken, accessExpiresAt, answeredAt } = revocation;
  const details = JSON.stringify(revocation.details);
  return queries.run(
    `insert into revocations (id, team_id, provider, token_kind, token, details, client_id, client_of, authority,
      account_id, installation_id, account_from, created_at, expires_at, access_token, access_expires_at, answered_at)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)`,
    [
      ...[id, teamId, provider, tokenKind, token, details, clientId, clientOf, authority],
      ...[accountId, installationId, accountFrom, createdAt, expiresAt, accessToken, accessExpiresAt, answeredAt],
    ],
  );
};

export const getRevocation = async (queries: Queries, teamId: string, id: string): Promise<Revocation | undefined> => {
  const row = await queries.get<Omit<Revocation, 'details'> & { details: string }>(
    `select id, team_id as "teamId", provider, token_kind as "tokenKind", token, details, client_id as "clientId",
      client_of as "clientOf", authority, account_id as "accountId", installation_id as "installationId",
      account_from as "accountFrom", created_at as "createdAt", expires_at as "expiresAt",
      access_token as "accessToken", access_expires_at as "accessExpiresAt", answered_at as "answeredAt"
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
 * Stores new tokens if the grant had to be refreshed, because the old refresh token may be used up. Null keeps the old
 * value.
 */
export const changeRevocationTokens = (
  queries: Queries,
  { teamId, id }: Pick<Revocation, 'teamId' | 'id'>,
  {
    token,
    accessToken,
    accessExpiresAt,
  }: { [name in 'token' | 'accessToken']: string | null } & Pick<Revocation, 'accessExpiresAt'>,
): Promise<number> =>
  queries.run(
    `update revocations set token = coalesce($3, token), access_token = $4, access_expires_at = $5
      where team_id = $1 and id = $2`,
    [teamId, id, token, accessToken, accessExpiresAt],
  );

/** Notes that the provider has said that the grant has ended, although its access token still works. */
export const noteAnswer = (
  queries: Queries,
  { teamId, id }: Pick<Revocation, 'teamId' | 'id'>,
  now: number,
): Promise<number> =>
  queries.run('update revocations set answered_at = coalesce(answered_at, $3) where team_id = $1 and id = $2', [
    ...[teamId, id, now],
  ]);

export const deleteRevocation = (queries: Queries, teamId: string, id: string): Promise<number> =>
  queries.run('delete from revocations where team_id = $1 and id = $2', [teamId, id]);

export const deleteRevocationsOfTeam = (queries: Queries, teamId: string, pace: () => Promise<void>): Promise<number> =>
  deleteInPieces(queries, { from: 'revocations', key: 'id', where: 'team_id = $1' }, [teamId], pace);

/** Lists revocations of all teams that were tried for long enough, longest ago first. */
export const listExpiredRevocations = (
  queries: Queries,
  before: number,
  limit: number,
): Promise<Pick<Revocation, 'teamId' | 'id' | 'provider' | 'accountId' | 'answeredAt'>[]> =>
  queries.all(
    `select team_id as "teamId", id, provider, account_id as "accountId", answered_at as "answeredAt"
      from revocations where expires_at < $1 order by expires_at limit $2`,
    [before, limit],
  );
