import { Secret } from '../../platform/index.ts';
import { changeStandingIn } from '../connections/change-standing.ts';
import type { Connection } from '../connections/connection.ts';
import { getConnection } from '../connections/connection-store.ts';
import { sealTokens } from '../connections/connection-tokens.ts';
import { isSharedWithOthers, prepareRevocation } from '../connections/prepare-revocation.ts';
import type { Revocation } from '../connections/revocation-store.ts';
import { putRevocation, tryRevocation } from '../connections/revoke-grant.job.ts';
import {
  cancelRevocations,
  getContained,
  getSettled,
  postponeRevocation,
  settleConnection,
} from '../containment/contained-store.ts';
import { CONTAINED, type ContainedConnection, type ContainedState } from '../containment/containment.ts';
import { isInForce } from '../containment/containment-store.ts';
import type { IntegrationsContext } from '../context.ts';

/** How long a provider that can't be reached, or asks for a pause, gets nothing new. */
const PAUSE_MS = 30_000;

const STOPPED = 'Access was ended because something may have leaked. Connect again.';

/** What a connection is without its grant: its tokens are in the revocation alone. */
const withoutGrant = async (context: IntegrationsContext, connection: Connection) => ({
  ...(await sealTokens(context.vault, connection, { accessToken: new Secret(''), refreshToken: null })),
  status: 'needs_reconnect' as const,
  reason: CONTAINED,
  lastError: STOPPED,
  troubleSince: connection.troubleSince ?? context.clock.now(),
  generation: connection.generation + 1,
  refreshDueAt: null,
  verifyDueAt: null,
  refreshBegunAt: null,
  // Invalidates the lease of a refresh under way. What it brings back is revoked.
  leaseNumber: connection.leaseNumber + 1,
  leaseOwner: null,
  leaseUntil: null,
});

/**
 * Takes a connection's grant away, unless the containment was lifted meanwhile. Returns whether it did. If the connection
 * has changed since it was read, it's still due, and the next run finds it.
 */
const takeGrant = async (
  context: IntegrationsContext,
  { containmentId }: ContainedConnection,
  connection: Connection,
  revocation: Revocation,
): Promise<boolean> => {
  const { database, forgetStatus } = context;
  const changes = await withoutGrant(context, connection);
  return database.transaction(async (tx) => {
    if (!(await isInForce(tx, containmentId, 'for share'))) return false;
    if ((await changeStandingIn(context, tx, connection, changes)) === 0) return false;
    await putRevocation(context, tx, connection, revocation, { firstTry: 'here' });
    tx.afterCommit(() => forgetStatus(connection.teamId));
    return true;
  });
};

/**
 * Begins the revocation of a contained connection's grant, and tries it once. Returns how long the provider should be
 * left alone. `revoke-grant` goes on with what wasn't confirmed.
 */
export const revokeContained = async (context: IntegrationsContext, due: ContainedConnection): Promise<number> => {
  const { database, clock } = context;
  const row = await getContained(database, due);
  if (row?.dueAt == null) return 0;
  if (!(await isInForce(database, row.containmentId))) {
    await cancelRevocations(database, row.containmentId, [row.connectionId]);
    return 0;
  }
  const settle = (state: ContainedState): Promise<number> =>
    settleConnection(database, row, { state, now: clock.now() });
  const connection = await getConnection(database, row);
  const isSame = connection?.id === row.connectionId && connection.connectedAt === row.connectedAt;
  if (!isSame || connection.reason === CONTAINED) {
    // Whatever replaces, removes, or revokes a contained connection says what became of its grant.
    const { state } = (await getSettled(database, row)) ?? { state: 'unknown' };
    await settle(state);
    return 0;
  }
  // A refresh under way may bring new tokens. Wait for it, so that they are in the revocation.
  if ((connection.leaseUntil ?? 0) > clock.now()) {
    await postponeRevocation(database, row, connection.leaseUntil ?? 0);
    return 0;
  }
  // Its tokens stay, to be revoked with those of the last connection that uses the grant.
  if (await isSharedWithOthers(context, connection)) {
    await settle('shared');
    return 0;
  }
  const revocation = await prepareRevocation(context, connection);
  if (typeof revocation === 'string') {
    await settle(revocation);
    return 0;
  }
  if (!(await takeGrant(context, row, connection, revocation))) return 0;
  const result = await tryRevocation(context, connection.teamId, revocation.id);
  const failure = typeof result === 'object' ? (result?.failure ?? null) : null;
  return failure === null ? 0 : Math.max(PAUSE_MS, failure.retryAfterMs ?? 0);
};
