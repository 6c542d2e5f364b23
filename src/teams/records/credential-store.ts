import { deleteInPieces, digestOf, equalSecrets, insertRow, type Queries, type Value } from '../../platform/index.ts';
import { isNotContained } from './contained-token-store.ts';
import type { Credential } from './credential.ts';
import { deleteGrants } from './granted-token-store.ts';
import type { Holder } from './holder.ts';
import { isBeingErased } from './team-store.ts';

/**
 * `handed`: an admin made the link and hands it over. `invited`: part of an invitation. `asked`: requested by the user.
 * Links of the last two kinds are emailed, or made by the operator.
 */
export type LinkKind = 'handed' | 'invited' | 'asked';

type Span = { createdAt: number; expiresAt: number };

/** The fields of each credential table besides the ID, the digest of the secret and the user. */
type Credentials = {
  access_tokens: Span & {
    name: string;
    byOperator: 0 | 1;
    handedThrough: string | null;
    restriction: string | null;
    client: string | null;
  };
  sessions: Span & {
    provesAddress: 0 | 1;
    device: string | null;
    handedBy: string | null;
    handedThrough: string | null;
  };
  sign_in_links: Span & { kind: LinkKind; madeBy: string | null; handedThrough: string | null };
  connect_sessions: Span & { kind: 'bearer' | 'ticket' | 'page'; providers: string | null; returnTo: string | null };
};

const CREDENTIAL_TABLES: readonly (keyof Credentials)[] = [
  'access_tokens',
  'sessions',
  'sign_in_links',
  'connect_sessions',
];

/**
 * A restricted token has another digest. A process of an earlier version doesn't know restrictions, and would take the
 * token for its user. With this digest, it refuses the token.
 */
const digestFor = (secret: string, isRestricted: boolean): string =>
  digestOf(isRestricted ? `restricted ${secret}` : secret);

export const insertCredential = <Table extends keyof Credentials>(
  queries: Queries,
  table: Table,
  { id, secret }: Credential,
  { teamId, userId }: Holder,
  more: Credentials[Table],
): Promise<number> => {
  const isRestricted = 'restriction' in more && more.restriction !== null;
  return insertRow(queries, table, { id, teamId, userId, digest: digestFor(secret, isRestricted), ...more });
};

/** What is found with the holder of an access token. */
type TokenFields = { name: string; byOperator: 0 | 1; restriction: string | null };

type Found<Fields> = Holder & Fields & { digest: string };

const findRow = <Fields>(
  queries: Queries,
  table: keyof Credentials,
  id: string,
  isValid: string,
  now: number,
): Promise<Found<Fields> | undefined> => {
  const more = table === 'access_tokens' ? 'c.name, c.by_operator as "byOperator", c.restriction,' : '';
  return queries.get<Found<Fields>>(
    `select c.digest, ${more} u.id as "userId", u.team_id as "teamId", u.role
       from ${table} c join users u on u.id = c.user_id
      where c.id = $1 and ${isValid} and u.removed_at is null and not ${isBeingErased('u.team_id')}`,
    [id, now],
  );
};

const toFound = <Fields>({ digest: _, userId, teamId, role, ...fields }: Found<Fields>) => ({
  holder: { userId, teamId, role },
  fields: fields as unknown as Fields,
});

/** Finds the holder of a credential by its ID. Then compares the digest of the secret, in constant time. */
const findWhere = async <Fields = unknown>(
  queries: Queries,
  table: keyof Credentials,
  credential: Credential,
  isValid: string,
  now: number,
): Promise<{ holder: Holder; fields: Fields } | null> => {
  const row = await findRow<Fields & { restriction?: string | null }>(queries, table, credential.id, isValid, now);
  if (!row) return null;
  const isRestricted = 'restriction' in row && row.restriction !== null;
  return equalSecrets(digestFor(credential.secret, isRestricted), row.digest) ? toFound<Fields>(row) : null;
};

/** Finds the holder of a valid credential. */
export const findHolderOf = async (
  queries: Queries,
  table: keyof Credentials,
  credential: Credential,
  now: number,
): Promise<Holder | null> => {
  const isUnused = table === 'sign_in_links' ? 'and c.used_at is null' : '';
  return (await findWhere(queries, table, credential, `c.expires_at > $2 ${isUnused}`, now))?.holder ?? null;
};

/** Finds the holder of a valid access token, and what the token is. */
export const findTokenHolder = (queries: Queries, token: Credential, now: number) =>
  findWhere<TokenFields>(
    queries,
    'access_tokens',
    token,
    `c.expires_at > $2 and c.client is null and ${isNotContained('c')}`,
    now,
  );

/** Finds the holder of a valid access token that was granted to a client, which has another secret. */
export const findGrantHolder = async (queries: Queries, tokenId: string, now: number) => {
  const isValid = `c.expires_at > $2 and c.client is not null and c.restriction is not null and ${isNotContained('c')}`;
  const row = await findRow<TokenFields>(queries, 'access_tokens', tokenId, isValid, now);
  return row ? toFound<TokenFields>(row) : null;
};

/** Finds the holder of a link that was used or has expired. */
export const findFormerHolder = async (queries: Queries, link: Credential, now: number): Promise<Holder | null> =>
  (await findWhere(queries, 'sign_in_links', link, '(c.expires_at <= $2 or c.used_at is not null)', now))?.holder ??
  null;

/** Marks a link as used. Returns its kind and who made it, or undefined if it was used before or has expired. */
export const useSignInLink = async (
  queries: Queries,
  { teamId }: Holder,
  linkId: string,
  now: number,
): Promise<{ kind: LinkKind; madeBy: string | null; handedThrough: string | null } | undefined> => {
  const sql = `update sign_in_links set used_at = $1
    where team_id = $2 and id = $3 and used_at is null and expires_at > $1
    returning kind, made_by as "madeBy", handed_through as "handedThrough"`;
  return queries.get(sql, [now, teamId, linkId]);
};

export const countUsableLinks = async (queries: Queries, { teamId, userId }: Holder, now: number): Promise<number> => {
  const sql = `select count(*) as n from sign_in_links
    where team_id = $1 and user_id = $2 and used_at is null and expires_at > $3`;
  return (await queries.get<{ n: number }>(sql, [teamId, userId, now]))?.n ?? 0;
};

export const deleteLink = (queries: Queries, teamId: string, linkId: string): Promise<number> =>
  queries.run('delete from sign_in_links where team_id = $1 and id = $2 and used_at is null', [teamId, linkId]);

/** Deletes the user's unused links, before a new link is made or when the user signs in. */
export const deleteUnusedLinks = (queries: Queries, { teamId, userId }: Holder): Promise<number> =>
  queries.run('delete from sign_in_links where team_id = $1 and user_id = $2 and used_at is null', [teamId, userId]);

/**
 * Deletes the user's unused links, but not the invitation of somebody who has never signed in. Called when a device is
 * lost: the links may have arrived there.
 */
export const deleteLostLinks = (
  queries: Queries,
  { teamId, userId }: Pick<Holder, 'teamId' | 'userId'>,
): Promise<number> =>
  queries.run(
    `delete from sign_in_links where team_id = $1 and user_id = $2 and used_at is null and (kind = 'asked'
      or exists (select 1 from users u where u.id = sign_in_links.user_id and u.signed_in_at is not null))`,
    [teamId, userId],
  );

/** Deletes credentials in pieces, of all kinds. */
const deleteCredentials = async (
  queries: Queries,
  where: string,
  values: readonly Value[],
  pace?: () => Promise<void>,
): Promise<void> => {
  await deleteGrants(queries, where, values, pace);
  for (const table of CREDENTIAL_TABLES) await deleteInPieces(queries, { from: table, key: 'id', where }, values, pace);
};

export const deleteCredentialsOfUser = (
  queries: Queries,
  { teamId, userId }: Pick<Holder, 'teamId' | 'userId'>,
): Promise<void> => deleteCredentials(queries, 'team_id = $1 and user_id = $2', [teamId, userId]);

export const deleteCredentialsOfTeam = (queries: Queries, teamId: string, pace: () => Promise<void>): Promise<void> =>
  deleteCredentials(queries, 'team_id = $1', [teamId], pace);

/** Deletes expired credentials of all teams. */
export const deleteExpired = (queries: Queries, before: number): Promise<void> =>
  deleteCredentials(queries, 'expires_at < $1', [before]);
