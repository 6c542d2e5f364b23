import { Discard, defineJob } from '../../jobs/index.ts';
import { Secret, type Transaction, Type } from '../../platform/index.ts';
import type { SealedColumn } from '../../vault/index.ts';
import { getOauthProvider, isKeyBased } from '../catalogue/catalogue.ts';
import { withDefaults } from '../catalogue/placeholders.ts';
import type { ResolvedProvider } from '../catalogue/provider.ts';
import { describeFailure, failWithoutResponse } from '../catalogue/provider-failure.ts';
import { redirectUriOf } from '../catalogue/redirect-uri.ts';
import type { IntegrationsContext } from '../context.ts';
import type { Target } from '../requests/ask-provider.ts';
import { presume } from '../requests/discovery.ts';
import {
  type OpenTokens,
  pickTokenToRevoke,
  type RevokeOutcome,
  refreshTokens,
  revokeToken,
  type TokenToRevoke,
} from '../requests/grant-requests.ts';
import { type Grant, isGrantShared } from './client-use-store.ts';
import { type Connection, hasExpired } from './connection.ts';
import { openTokens } from './connection-tokens.ts';
import {
  changeRevocationToken,
  countRevocations,
  deleteRevocation,
  getRevocation,
  insertRevocation,
  type Revocation,
} from './revocation-store.ts';

/** How long a revocation, and the token that it needs, is kept. */
export const REVOCATION_KEPT_MS = 7 * 24 * 3_600_000;
/** The job's delay if the first attempt is made right away, without the job. */
const AFTER_FIRST_TRY_MS = 30_000;
/** A team's pending revocations are counted up to this number. With so many, its next job runs last anyway. */
const MOST_COUNTED = 1_000;

/**
 * Revokes grants at the provider. The pause between attempts doubles from half a minute to six hours, so this many
 * attempts last longer than a revocation is kept.
 */
export const revokeGrant = defineJob({
  name: 'revoke-grant',
  payload: Type.Object({ teamId: Type.String(), revocationId: Type.String() }),
  attempts: 45,
  firstRetryMs: 30_000,
  mostRetryMs: 6 * 3_600_000,
});

export type Obstacle = 'unsupported' | 'unknown' | 'shared';

/** `unsupported`: the provider says that it revokes nothing. `unknown`: nobody has found out how it does. */
type NoWay = 'unsupported' | 'unknown';

const noWayAt = ({ revoke }: ResolvedProvider['record']): NoWay => (revoke === null ? 'unsupported' : 'unknown');

/**
 * Finds why a grant isn't ended at the provider: there is no known way, or another connection uses the same grant.
 */
export const findObstacle = async (
  { database, clock }: IntegrationsContext,
  { record }: ResolvedProvider,
  grant: Grant,
): Promise<Obstacle | null> => {
  const { revoke } = record;
  if (!revoke) return noWayAt(record);
  return revoke.kills !== 'token' && (await isGrantShared(database, grant, clock.now())) ? 'shared' : null;
};

const place = (id: string) => ({ record: `revocations/${id}`, field: 'token' });

export const SEALED_REVOCATIONS: SealedColumn = {
  table: 'revocations',
  column: 'token',
  placedBy: ['id'],
  placesOf: (id = '') => [place(id)],
};

/**
 * Seals the one token that the revocation needs. Call this before starting a transaction, or while the team's key is in
 * memory: otherwise, sealing queries the database.
 */
export const sealRevocation = async (
  { vault, clock, newId }: IntegrationsContext,
  resolved: ResolvedProvider,
  connection: Connection,
  tokens: OpenTokens,
): Promise<Revocation> => {
  const { teamId, provider, details, clientId, clientOf, authority } = connection;
  const { accountId, installationId, accountFrom } = connection;
  const id = newId();
  const createdAt = clock.now();
  const { refreshToken } = tokens;
  // Some providers revoke a grant by its access token. If that has expired, keep the refresh token, to get a new access
  // token with it first.
  const { kind, token } =
    refreshToken && resolved.record.refresh && !resolved.record.refresh.extended && hasExpired(connection, createdAt)
      ? { kind: 'refresh' as const, token: refreshToken }
      : pickTokenToRevoke(resolved, tokens);
  return {
    ...{ id, teamId, provider, details, clientId, clientOf, authority, accountId, installationId, accountFrom },
    tokenKind: kind,
    token: await vault.seal(teamId, place(id), token),
    createdAt,
    expiresAt: createdAt + REVOCATION_KEPT_MS,
  };
};

/**
 * Prepares the revocation of a connection's grant. If there is no known way, or the tokens can't be decrypted, returns
 * what a disconnect says instead. A key belongs to the person who entered it, and only they can revoke it.
 */
export const prepareRevocation = async (
  context: IntegrationsContext,
  connection: Connection,
): Promise<Revocation | NoWay> => {
  const { catalogue, discover, vault } = context;
  const provider = catalogue.get(connection.provider);
  if (!provider) return 'unknown';
  if (isKeyBased(provider)) return 'unsupported';
  // If the issuer can't be reached, the team can still disconnect. The provider is told later.
  const resolved = await Promise.resolve(discover(provider)).catch(() => presume(provider));
  if (!resolved.record.revoke) return noWayAt(resolved.record);
  const tokens = await openTokens(vault, connection);
  return tokens ? sealRevocation(context, resolved, connection, tokens) : 'unknown';
};

/**
 * Stores a revocation and its job. The more pending revocations the team has, the later the job runs, so that other
 * teams don't have to wait for all of them.
 */
export const putRevocation = async (
  { jobs }: Pick<IntegrationsContext, 'jobs'>,
  tx: Transaction,
  revocation: Revocation,
  { firstTry }: { firstTry: 'here' | 'job' },
): Promise<void> => {
  const { teamId, id: revocationId } = revocation;
  const behind = await countRevocations(tx, teamId, MOST_COUNTED);
  await insertRevocation(tx, revocation);
  const delayMs = firstTry === 'here' ? AFTER_FIRST_TRY_MS : 0;
  await jobs.enqueue(tx, revokeGrant, { teamId, revocationId }, { delayMs, behind });
};

/**
 * Returns the token to revoke. If the provider needs an access token and only the refresh token was kept, gets a new
 * access token, and stores the new refresh token.
 */
const toSpendable = async (
  context: IntegrationsContext,
  target: Target,
  revocation: Revocation,
): Promise<TokenToRevoke | RevokeOutcome> => {
  const { database, vault, url } = context;
  const { teamId, id, provider, tokenKind: kind } = revocation;
  const token = await vault.open(teamId, place(id), revocation.token);
  if (kind === 'access' || target.provider.record.revoke?.token !== 'access') return { kind, token };
  const spent = { accessToken: new Secret(''), refreshToken: token, redirectUri: redirectUriOf(url, provider) };
  const { tokens, failure } = await refreshTokens(context, target, spent);
  if (failure?.kind === 'invalid_grant') return { outcome: 'already_gone', failure: null };
  if (failure) return { outcome: null, failure };
  const { accessToken, refreshToken } = tokens;
  if (refreshToken)
    await changeRevocationToken(database, teamId, id, await vault.seal(teamId, place(id), refreshToken));
  return { kind: 'access', token: accessToken };
};

const notAsked = (kind: 'client_missing' | 'client_replaced'): RevokeOutcome => ({
  outcome: null,
  failure: failWithoutResponse(kind),
});

/** Tries a revocation once. Deletes it if there's nothing left to do. Null if it no longer exists. */
export const tryRevocation = async (
  context: IntegrationsContext,
  teamId: string,
  id: string,
): Promise<RevokeOutcome | Obstacle | null> => {
  const { catalogue, discover, clients, database } = context;
  const revocation = await getRevocation(database, teamId, id);
  if (!revocation) return null;
  const provider = getOauthProvider(catalogue, revocation.provider);
  const client = await clients.open(teamId, revocation.provider, revocation.clientOf);
  // A provider or a client that was removed from the settings may come back. The job tries again later.
  if (!provider || !client) return notAsked('client_missing');
  if (client.id !== revocation.clientId) return notAsked('client_replaced');
  const discovered = await discover(provider);
  const target = { provider: discovered, client, values: withDefaults(revocation.details, discovered.record) };
  // Someone may have connected the same account in the meantime. Revoking the grant would end that connection, too.
  const obstacle = await findObstacle(context, target.provider, { ...revocation, id: '' });
  const spendable = obstacle ?? (await toSpendable(context, target, revocation));
  const result =
    typeof spendable === 'object' && 'token' in spendable ? await revokeToken(context, target, spendable) : spendable;
  if (typeof result === 'string' || result.outcome) await deleteRevocation(database, teamId, id);
  return result;
};

export const handleRevokeGrant =
  (context: IntegrationsContext) =>
  async ({ teamId, revocationId }: { teamId: string; revocationId: string }): Promise<void> => {
    const { database, clock } = context;
    const revocation = await getRevocation(database, teamId, revocationId);
    if (revocation && revocation.expiresAt <= clock.now()) {
      await deleteRevocation(database, teamId, revocationId);
      throw new Discard("The provider didn't confirm the revocation within seven days.");
    }
    const result = await tryRevocation(context, teamId, revocationId);
    if (typeof result === 'object' && result?.failure) throw new Error(describeFailure(result.failure));
  };
