import { Type } from 'typebox';
import { Discard, defineJob, type Jobs } from '../jobs/index.ts';
import type { Clock, Database, NewId, Secret, Transaction } from '../platform/index.ts';
import type { Vault } from '../vault/index.ts';
import type { AskDependencies, Asked } from './ask-provider.ts';
import type { Catalogue } from './catalogue.ts';
import type { Clients } from './clients.ts';
import type { Connection } from './connection.ts';
import { isGrantShared } from './connection-store.ts';
import type { Discovery } from './discover-provider.ts';
import { type RevokeOutcome, revokeToken, tokenKindToRevoke } from './grant-requests.ts';
import { describeFailure } from './provider-failure.ts';
import { deleteRevocation, getRevocation, insertRevocation, type Revocation } from './revocation-store.ts';

export type RevocationDependencies = AskDependencies & {
  catalogue: Catalogue;
  discover: Discovery;
  clients: Clients;
  database: Database;
  vault: Vault;
  clock: Clock;
  newId: NewId;
  jobs: Pick<Jobs, 'enqueue'>;
};

const KEPT_MS = 7 * 24 * 3_600_000;
/** Where whoever asks for the revocation makes the first try, the job comes after it. */
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

/** Why a grant is not ended at the provider: it cannot be asked, or another connection stands on the same grant. */
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

/** Keeps the one token that the revocation needs. Seal before the transaction, insert in it. */
export const sealRevocation = async (
  { vault, clock, newId }: Pick<RevocationDependencies, 'vault' | 'clock' | 'newId'>,
  asked: Asked,
  { teamId, provider, details, clientId, clientOf, accountId }: Connection,
  tokens: { accessToken: Secret; refreshToken: Secret | null },
): Promise<Revocation> => {
  const id = newId();
  const tokenKind = tokenKindToRevoke(asked, tokens.refreshToken !== null);
  const token = tokenKind === 'refresh' && tokens.refreshToken ? tokens.refreshToken : tokens.accessToken;
  const createdAt = clock.now();
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

/** Asks the provider once. The record goes when there is nothing left to do. Null: there is no record any more. */
export const tryRevocation = async (
  dependencies: RevocationDependencies,
  teamId: string,
  id: string,
): Promise<RevokeOutcome | Obstacle | null> => {
  const { catalogue, discover, clients, database, vault } = dependencies;
  const revocation = await getRevocation(database, teamId, id);
  if (!revocation) return null;
  const provider = catalogue.get(revocation.provider);
  const asked = provider && (await discover(provider));
  const client = await clients.open(teamId, revocation.provider, revocation.clientOf);
  // Somebody may have connected the same account meanwhile: then there is a connection to lose.
  const obstacle = await findObstacle(dependencies, asked ?? null, { ...revocation, id: '' });
  if (obstacle || !asked || !client) {
    await deleteRevocation(database, teamId, id);
    return obstacle ?? 'unsupported';
  }
  const token = await vault.open(teamId, place(id), revocation.token);
  const result = await revokeToken(
    dependencies,
    asked,
    client,
    { kind: revocation.tokenKind, token },
    revocation.details,
  );
  if (result.outcome) await deleteRevocation(database, teamId, id);
  return result;
};

export const handleRevokeGrant =
  (dependencies: RevocationDependencies) =>
  async ({ teamId, revocationId }: { teamId: string; revocationId: string }): Promise<void> => {
    const { database, clock } = dependencies;
    const revocation = await getRevocation(database, teamId, revocationId);
    if (revocation && revocation.expiresAt <= clock.now()) {
      await deleteRevocation(database, teamId, revocationId);
      throw new Discard('The provider did not confirm the revocation within seven days.');
    }
    const result = await tryRevocation(dependencies, teamId, revocationId);
    if (typeof result === 'object' && result?.failure) throw new Error(describeFailure(result.failure));
  };
