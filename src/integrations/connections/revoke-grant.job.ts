import { Discard, defineJob, type Jobs } from '../../jobs/index.ts';
import { type Clock, type Database, type NewId, Secret, type Transaction, Type } from '../../platform/index.ts';
import type { Vault } from '../../vault/index.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import { describeFailure } from '../catalogue/provider-failure.ts';
import { redirectUriOf } from '../catalogue/redirect-uri.ts';
import type { Clients } from '../clients/clients.ts';
import type { AskDependencies, Asked } from '../requests/ask-provider.ts';
import type { Discovery } from '../requests/discover-provider.ts';
import { type RevokeOutcome, refreshTokens, revokeToken, tokenKindToRevoke } from '../requests/grant-requests.ts';
import type { Client } from '../requests/provider-request.ts';
import { type Connection, hasExpired } from './connection.ts';
import { isGrantShared } from './connection-store.ts';
import {
  changeRevocationToken,
  deleteRevocation,
  getRevocation,
  insertRevocation,
  type Revocation,
} from './revocation-store.ts';

export type RevocationDependencies = AskDependencies & {
  catalogue: Catalogue;
  discover: Discovery;
  clients: Clients;
  database: Database;
  vault: Vault;
  clock: Clock;
  newId: NewId;
  jobs: Pick<Jobs, 'enqueue'>;
  /** The public base URL. */
  url: string;
};

const KEPT_MS = 7 * 24 * 3_600_000;
/** If the caller makes the first try, the job comes after it. */
const AFTER_FIRST_TRY_MS = 30_000;

/** Doubling from half a minute to six hours, this many attempts go on for longer than the record is kept. */
export const revokeGrant = defineJob({
  name: 'revoke-grant',
  payload: Type.Object({ teamId: Type.String(), revocationId: Type.String() }),
  attempts: 45,
  firstRetryMs: 30_000,
  mostRetryMs: 6 * 3_600_000,
});

export type Obstacle = 'unsupported' | 'shared';

/** Why a grant isn't ended at the provider: it doesn't support that, or another connection uses the same grant. */
export const findObstacle = async (
  { database }: Pick<RevocationDependencies, 'database'>,
  asked: Asked | null,
  grant: Parameters<typeof isGrantShared>[1],
): Promise<Obstacle | null> => {
  if (!asked?.record.revoke) return 'unsupported';
  if (asked.record.revoke.kills === 'token') return null;
  return (await isGrantShared(database, grant)) ? 'shared' : null;
};

const place = (id: string) => ({ record: `revocations/${id}`, field: 'token' });

/** Some providers end a grant by its access token. If that has expired, the refresh token gets a new one first. */
const kindToKeep = (
  asked: Asked,
  connection: Connection,
  hasRefreshToken: boolean,
  now: number,
): 'access' | 'refresh' =>
  hasRefreshToken && asked.record.refresh && hasExpired(connection, now)
    ? 'refresh'
    : tokenKindToRevoke(asked, hasRefreshToken);

/** Keeps the one token that the revocation needs. Seal before the transaction, insert in it. */
export const sealRevocation = async (
  { vault, clock, newId }: Pick<RevocationDependencies, 'vault' | 'clock' | 'newId'>,
  asked: Asked,
  connection: Connection,
  tokens: { accessToken: Secret; refreshToken: Secret | null },
): Promise<Revocation> => {
  const { teamId, provider, details, clientId, clientOf, authority, accountId } = connection;
  const id = newId();
  const createdAt = clock.now();
  const tokenKind = kindToKeep(asked, connection, tokens.refreshToken !== null, createdAt);
  const token = tokenKind === 'refresh' && tokens.refreshToken ? tokens.refreshToken : tokens.accessToken;
  const sealed = await vault.seal(teamId, place(id), token);
  return {
    id,
    teamId,
    provider,
    tokenKind,
    token: sealed,
    details,
    clientId,
    clientOf,
    authority,
    accountId,
    createdAt,
    expiresAt: createdAt + KEPT_MS,
  };
};

export const putRevocation = async (
  { jobs }: Pick<RevocationDependencies, 'jobs'>,
  tx: Transaction,
  revocation: Revocation,
  { firstTry }: { firstTry: 'here' | 'job' },
): Promise<void> => {
  await insertRevocation(tx, revocation);
  const { teamId, id: revocationId } = revocation;
  const delayMs = firstTry === 'here' ? AFTER_FIRST_TRY_MS : 0;
  await jobs.enqueue(tx, revokeGrant, { teamId, revocationId }, { delayMs });
};

type Spendable = { kind: 'access' | 'refresh'; token: Secret };

/** The token that the provider wants to see. If a new access token has to be fetched for it, what comes with it is kept. */
const toSpendable = async (
  dependencies: RevocationDependencies,
  asked: Asked,
  client: Client,
  revocation: Revocation,
): Promise<Spendable | RevokeOutcome> => {
  const { database, vault, url } = dependencies;
  const { teamId, id, provider, tokenKind: kind, details } = revocation;
  const token = await vault.open(teamId, place(id), revocation.token);
  if (kind === 'access' || asked.record.revoke?.token !== 'access') return { kind, token };
  const spent = { accessToken: new Secret(''), refreshToken: token, redirectUri: redirectUriOf(url, provider) };
  const granted = await refreshTokens(dependencies, asked, client, spent, details);
  if (granted.failure)
    return granted.failure.kind === 'invalid_grant'
      ? { outcome: 'already_gone', failure: null }
      : { outcome: null, failure: granted.failure };
  const { accessToken, refreshToken } = granted.tokens;
  if (refreshToken)
    await changeRevocationToken(database, teamId, id, await vault.seal(teamId, place(id), refreshToken));
  return { kind: 'access', token: accessToken };
};

const notAsked = (kind: 'client_missing' | 'client_replaced'): RevokeOutcome => ({
  outcome: null,
  failure: { kind, code: null, surelyNotDone: true, retryAfterMs: null },
});

/** Asks the provider once. The record is deleted when there's nothing left to do. Null if it no longer exists. */
export const tryRevocation = async (
  dependencies: RevocationDependencies,
  teamId: string,
  id: string,
): Promise<RevokeOutcome | Obstacle | null> => {
  const { catalogue, discover, clients, database } = dependencies;
  const revocation = await getRevocation(database, teamId, id);
  if (!revocation) return null;
  const provider = catalogue.get(revocation.provider);
  const client = await clients.open(teamId, revocation.provider, revocation.clientOf);
  // A provider or a client that was removed from the settings may come back, so this waits as for any other outage.
  if (!provider || !client) return notAsked('client_missing');
  if (client.id !== revocation.clientId) return notAsked('client_replaced');
  const asked = await discover(provider);
  // Someone may have connected the same account meanwhile. Then there's a connection to lose.
  const obstacle = await findObstacle(dependencies, asked, { ...revocation, id: '' });
  const spendable = obstacle ?? (await toSpendable(dependencies, asked, client, revocation));
  const result =
    typeof spendable === 'object' && 'token' in spendable
      ? await revokeToken(dependencies, asked, client, spendable, revocation.details)
      : spendable;
  if (typeof result === 'string' || result.outcome) await deleteRevocation(database, teamId, id);
  return result;
};

export const handleRevokeGrant =
  (dependencies: RevocationDependencies) =>
  async ({ teamId, revocationId }: { teamId: string; revocationId: string }): Promise<void> => {
    const { database, clock } = dependencies;
    const revocation = await getRevocation(database, teamId, revocationId);
    if (revocation && revocation.expiresAt <= clock.now()) {
      await deleteRevocation(database, teamId, revocationId);
      throw new Discard("The provider didn't confirm the revocation within seven days.");
    }
    const result = await tryRevocation(dependencies, teamId, revocationId);
    if (typeof result === 'object' && result?.failure) throw new Error(describeFailure(result.failure));
  };
