import { Refusal } from '../../platform/index.ts';
import { type AuditActor, recordAudit } from '../../teams/index.ts';
import { findProvider } from '../catalogue/find-provider.ts';
import type { Asked } from '../requests/ask-provider.ts';
import { presume } from '../requests/discover-provider.ts';
import type { Connection } from './connection.ts';
import { deleteConnection, getConnection } from './connection-store.ts';
import { openIfPossible } from './connection-tokens.ts';
import type { PutDependencies } from './put-connection.ts';
import { putRevocation, sealRevocation, tryRevocation } from './revoke-grant.job.ts';

export type Disconnected =
  | 'revoked'
  | 'already_gone'
  | 'unsupported'
  | 'shared'
  | 'failed_will_retry'
  | 'not_connected';

const TRIES = 5;

/** Erases the connection as it was read. Null if it has changed since, or else the revocation that is left to do. */
const erase = async (
  dependencies: PutDependencies,
  asked: Asked | null,
  connection: Connection,
  actor: AuditActor,
): Promise<{ revocationId: string | null } | null> => {
  const { database, vault, forgetStatus } = dependencies;
  const { teamId, provider } = connection;
  // Tokens that don't open can't be sent to the provider, but are erased all the same.
  const tokens = asked?.record.revoke ? await openIfPossible(vault, connection) : null;
  const revocation = asked && tokens ? await sealRevocation(dependencies, asked, connection, tokens) : null;
  return database.transaction(async (tx) => {
    if ((await deleteConnection(tx, connection)) === 0) return null;
    if (revocation) await putRevocation(dependencies, tx, revocation, { firstTry: 'here' });
    await recordAudit(dependencies, tx, teamId, actor, {
      action: 'integration.disconnect',
      target: provider,
      detail: { account: connection.accountLabel },
    });
    tx.afterCommit(() => forgetStatus(teamId));
    return { revocationId: revocation?.id ?? null };
  });
};

/**
 * Removes a connection: here at once, and at the provider now or as soon as it can be reached. Whether others use the
 * same grant is checked afterwards, so that when two disconnect together, the last one ends it.
 */
export const disconnect = async (
  dependencies: PutDependencies,
  teamId: string,
  providerId: string,
  actor: AuditActor,
): Promise<Disconnected> => {
  const { catalogue, discover, database } = dependencies;
  for (let attempt = 1; ; attempt++) {
    const connection = await getConnection(database, teamId, providerId);
    if (!connection) {
      findProvider(catalogue, providerId);
      return 'not_connected';
    }
    const provider = catalogue.get(providerId);
    // An unreachable issuer doesn't keep a team from disconnecting. The provider is told later.
    const asked = provider ? await Promise.resolve(discover(provider)).catch(() => presume(provider)) : null;
    const erased = await erase(dependencies, asked, connection, actor);
    if (!erased) {
      if (attempt === TRIES) throw new Error('A connection kept changing while it was being removed.');
      continue;
    }
    if (erased.revocationId === null) return 'unsupported';
    const result = await tryRevocation(dependencies, teamId, erased.revocationId).catch((error) => {
      // What couldn't be tried now is left to the job.
      if (error instanceof Refusal) return null;
      throw error;
    });
    if (typeof result === 'string') return result;
    return result?.outcome ?? 'failed_will_retry';
  }
};
