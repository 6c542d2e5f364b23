import type { TeamEraser, TeamToErase } from '../teams/index.ts';
import { deleteApprovalsOfTeam } from './approvals/old-approval-store.ts';
import { deleteChecksOfTeam } from './checking/provider-check-store.ts';
import { deleteCredentials, giveCredentialsTo, listCredentials } from './clients/credentials-store.ts';
import { deleteAttemptsOfTeam } from './connect/attempt-store.ts';
import type { Connection, ListedConnection } from './connections/connection.ts';
import {
  deleteConnection,
  getConnection,
  giveConnectionsTo,
  listConnections,
  stopRefreshes,
} from './connections/connection-store.ts';
import { prepareRevocation, REVOCATION_KEPT_MS } from './connections/prepare-revocation.ts';
import { countRevocations, deleteRevocationsOfTeam, listOwnClientRevocations } from './connections/revocation-store.ts';
import { putRevocation } from './connections/revoke-grant.job.ts';
import { deleteContainedOfTeam } from './containment/contained-store.ts';
import { CONTAINED } from './containment/containment.ts';
import { deleteContainmentsOf } from './containment/containment-store.ts';
import type { IntegrationsContext } from './context.ts';
import { deleteGroupsOfTeam } from './request-log/request-group-store.ts';
import { deleteAddressesOfTeam } from './webhooks/addresses/address-store.ts';

const MOST_COUNTED = 1_000;

/**
 * Deletes a connection's tokens now, and revokes its grant at the provider as soon as possible. That isn't tried after
 * `keptUntil`, because the team has to be erased by then.
 */
const eraseConnection = async (
  context: IntegrationsContext,
  connection: Connection,
  keptUntil: number,
): Promise<void> => {
  // What a containment has taken away has a revocation of its own.
  const revocation = connection.reason === CONTAINED ? null : await prepareRevocation(context, connection);
  await context.database.transaction(async (tx) => {
    // Nothing is deleted if a refresh has just stored new tokens. The next round finds them.
    if ((await deleteConnection(tx, connection)) === 0 || revocation === null || typeof revocation === 'string') return;
    const expiresAt = Math.min(revocation.expiresAt, keptUntil);
    await putRevocation(context, tx, connection, { ...revocation, expiresAt }, { firstTry: 'job' });
  });
};

/**
 * Erases connections. One that is being refreshed stays for now, because its new tokens will have to be revoked, too.
 * Returns the connections that remain.
 */
const eraseConnections = async (
  context: IntegrationsContext,
  { teamId, heirId, pace }: TeamToErase,
  keptUntil: number,
): Promise<ListedConnection[]> => {
  const { database, clock } = context;
  for (const listed of await listConnections(database, teamId)) {
    const connection = await getConnection(database, listed);
    const isLeased = (connection?.leaseUntil ?? 0) > clock.now();
    if (connection && !isLeased) await eraseConnection(context, connection, keptUntil);
    await pace();
  }
  await giveConnectionsTo(database, teamId, heirId);
  return listConnections(database, teamId);
};

/** Revokes a team's grants and erases its connections. Its own clients stay as long as a revocation needs them. */
export const createConnectionEraser = (context: IntegrationsContext): TeamEraser => ({
  end: stopRefreshes,
  forget(teamId) {
    context.forgetStatus(teamId);
    context.forgetWebhooks();
  },

  async erase(team) {
    const { database, clock, clients } = context;
    const { teamId, erasingAt, heirId, pace } = team;
    const keptUntil = erasingAt + REVOCATION_KEPT_MS;
    const connections = await eraseConnections(context, team, keptUntil);
    await deleteAddressesOfTeam(database, teamId, pace);
    await deleteContainedOfTeam(database, teamId, pace);
    await deleteContainmentsOf(database, teamId);
    await deleteApprovalsOfTeam(database, teamId, pace);
    await deleteAttemptsOfTeam(database, teamId, pace);
    await deleteChecksOfTeam(database, teamId);
    await deleteGroupsOfTeam(database, teamId, pace);
    if (clock.now() >= keptUntil) await deleteRevocationsOfTeam(database, teamId, pace);
    await giveCredentialsTo(database, teamId, heirId);
    const needed = new Set(await listOwnClientRevocations(database, teamId));
    for (const { provider, clientOf } of connections) if (clientOf === 'team') needed.add(provider);
    for (const { provider } of await listCredentials(database, teamId))
      if (!needed.has(provider)) await deleteCredentials(database, teamId, provider);
    clients.forget();
    return connections.length + (await countRevocations(database, teamId, MOST_COUNTED));
  },
});
