import { Secret } from '../../platform/index.ts';
import { changeStandingIn } from '../connections/change-standing.ts';
import type { Connection } from '../connections/connection.ts';
import { getConnection } from '../connections/connection-store.ts';
import { sealTokens } from '../connections/connection-tokens.ts';
import { prepareRevocation } from '../connections/prepare-revocation.ts';
import type { Revocation } from '../connections/revocation-store.ts';
import { putRevocation, tryRevocation } from '../connections/revoke-grant.job.ts';
import {
  getContained,
  lockSameGrant,
  postponeRevocation,
  settleConnection,
  toConsented,
} from '../containment/contained-store.ts';
import { CONTAINED, type ContainedConnection } from '../containment/containment.ts';
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
 * Takes a connection's grant away. Returns the revocation that is left to do, or null if there is none yet: the last of
 * several connections with the same grant revokes it for all.
 */
const takeGrant = async (
  context: IntegrationsContext,
  row: ContainedConnection,
  connection: Connection,
  revocation: Revocation,
): Promise<string | null> => {
  const { database, clock, forgetStatus } = context;
  const changes = await withoutGrant(context, connection);
  return database.transaction(async (tx) => {
    const left = await lockSameGrant(tx, row);
    // If the connection has changed since it was read, it's still due, and the next run finds it.
    if ((await changeStandingIn(context, tx, connection, changes)) === 0) return null;
    tx.afterCommit(() => forgetStatus(connection.teamId));
    const isLast = left.every((id) => id === connection.id);
    if (isLast) await putRevocation(context, tx, connection, revocation, { firstTry: 'here' });
    else await settleConnection(tx, toConsented(connection), { state: 'shared', now: clock.now() });
    return isLast ? revocation.id : null;
  });
};

/** Says what is known of a grant whose connection was replaced, removed, or contained before. */
const settleWithout = async (context: IntegrationsContext, row: ContainedConnection): Promise<void> => {
  const { database, clock } = context;
  await settleConnection(database, row, { state: 'already_gone', now: clock.now() });
};

/**
 * Begins the revocation of a contained connection's grant, and tries it once. Returns how long the provider should be
 * left alone. `revoke-grant` goes on with what wasn't confirmed.
 */
export const revokeContained = async (context: IntegrationsContext, due: ContainedConnection): Promise<number> => {
  const { database, clock } = context;
  const row = await getContained(database, due);
  if (row?.dueAt == null) return 0;
  const connection = await getConnection(database, row);
  const isSame = connection?.id === row.connectionId && connection.connectedAt === row.connectedAt;
  if (!isSame || connection.reason === CONTAINED) {
    await settleWithout(context, row);
    return 0;
  }
  if (connection.containedBy === null) return 0;
  // A refresh under way may bring new tokens. Wait for it, so that they are in the revocation.
  if ((connection.leaseUntil ?? 0) > clock.now()) {
    await postponeRevocation(database, row, connection.leaseUntil ?? 0);
    return 0;
  }
  const revocation = await prepareRevocation(context, connection);
  if (typeof revocation === 'string') {
    await settleConnection(database, row, { state: revocation, now: clock.now() });
    return 0;
  }
  const revocationId = await takeGrant(context, row, connection, revocation);
  if (revocationId === null) return 0;
  const result = await tryRevocation(context, connection.teamId, revocationId);
  const failure = typeof result === 'object' ? (result?.failure ?? null) : null;
  return failure === null ? 0 : Math.max(PAUSE_MS, failure.retryAfterMs ?? 0);
};
