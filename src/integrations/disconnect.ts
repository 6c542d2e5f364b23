import { Refusal } from '../platform/index.ts';
import { type AuditActor, recordAudit } from '../teams/index.ts';
import type { Asked } from './ask-provider.ts';
import { findProvider } from './begin-connect.ts';
import { type Connection, hasExpired } from './connection.ts';
import { deleteConnection, getConnection } from './connection-store.ts';
import { openTokens } from './connection-tokens.ts';
import { presume } from './discover-provider.ts';
import type { PutDependencies } from './put-connection.ts';
import type { Refresher } from './refresh-connection.ts';
import { findObstacle, type Obstacle, putRevocation, sealRevocation, tryRevocation } from './revoke-grant.job.ts';

export type DisconnectDependencies = PutDependencies & { refresher: Refresher };

export type Disconnected =
  | 'revoked'
  | 'already_gone'
  | 'unsupported'
  | 'shared'
  | 'failed_will_retry'
  | 'not_connected';

const TRIES = 5;

/** Erases the connection as it was read. Null where it has changed since; else the revocation that is left to do. */
const erase = async (
  dependencies: DisconnectDependencies,
  asked: Asked | null,
  connection: Connection,
  obstacle: Obstacle | null,
  actor: AuditActor,
): Promise<{ revocationId: string | null } | null> => {
  const { database, vault, forgetStatus } = dependencies;
  const { teamId, provider } = connection;
  const revocation =
    obstacle === null && asked
      ? await sealRevocation(dependencies, asked, connection, await openTokens(vault, connection))
      : null;
  return database.transaction(async (tx) => {
    if ((await deleteConnection(tx, connection)) === 0) return null;
    if (revocation) await putRevocation(dependencies, tx, revocation, { firstTry: 'here' });
    await recordAudit(dependencies, tx, teamId, actor, {
      action: 'integration.disconnect',
      target: provider,
      detail: { account: connection.accountLabel, revocation: obstacle ?? 'asked' },
    });
    tx.afterCommit(() => forgetStatus(teamId));
    return { revocationId: revocation?.id ?? null };
  });
};

/** A provider that ends a grant by its access token cannot do so by one that has expired. */
const freshenForRevocation = async (
  { refresher, clock, database }: DisconnectDependencies,
  asked: Asked | null,
  connection: Connection,
): Promise<Connection> => {
  const needsFresh = asked?.record.revoke?.token === 'access' && hasExpired(connection, clock.now());
  if (!needsFresh || connection.refreshToken === null || connection.status === 'needs_reconnect') return connection;
  await refresher.refresh(connection.teamId, connection.provider);
  return (await getConnection(database, connection.teamId, connection.provider)) ?? connection;
};

/** Takes a connection away: here at once, and at the provider now or as soon as it can be reached. */
export const disconnect = async (
  dependencies: DisconnectDependencies,
  teamId: string,
  providerId: string,
  actor: AuditActor,
): Promise<Disconnected> => {
  const { catalogue, discover, database } = dependencies;
  for (let attempt = 1; ; attempt++) {
    const found = await getConnection(database, teamId, providerId);
    if (!found) {
      findProvider(catalogue, providerId);
      return 'not_connected';
    }
    const provider = catalogue.get(providerId);
    // An issuer that is away does not keep a team from taking its connection back: the provider hears of it later.
    const asked = provider ? await Promise.resolve(discover(provider)).catch(() => presume(provider)) : null;
    const connection = await freshenForRevocation(dependencies, asked, found);
    const obstacle = await findObstacle(dependencies, asked, connection);
    const erased = await erase(dependencies, asked, connection, obstacle, actor);
    if (!erased) {
      if (attempt === TRIES) throw new Error('A connection kept changing while it was taken away.');
      continue;
    }
    if (obstacle || erased.revocationId === null) return obstacle ?? 'unsupported';
    const result = await tryRevocation(dependencies, teamId, erased.revocationId).catch((error) => {
      // What could not be tried now is tried by the job.
      if (error instanceof Refusal) return null;
      throw error;
    });
    if (typeof result === 'string') return result;
    return result?.outcome ?? 'failed_will_retry';
  }
};
