import { Refusal } from '../../platform/index.ts';
import { type AuditActor, type Beginning, callerRemoved, lockUserWhoBegan, recordAudit } from '../../teams/index.ts';
import { findProvider } from '../catalogue/catalogue.ts';
import { getSettled, keepInLedgers, settleConnection, toConsented } from '../containment/contained-store.ts';
import { CONTAINED } from '../containment/containment.ts';
import type { IntegrationsContext } from '../context.ts';
import { connectionBusy } from '../errors.ts';
import type { RevokeOutcome } from '../requests/grant-requests.ts';
import type { Connection } from './connection.ts';
import { toConnectionEvent } from './connection-event.ts';
import { DEFAULT_CONNECTION } from './connection-name.ts';
import { deleteConnection, getConnection } from './connection-store.ts';
import { findConnection, type WantedConnection } from './find-connection.ts';
import { type Obstacle, prepareRevocation } from './prepare-revocation.ts';
import { putRevocation, tryRevocation } from './revoke-grant.job.ts';

/** What happened to the grant at the provider. */
export type Disconnected = NonNullable<RevokeOutcome['outcome']> | Obstacle | 'failed_will_retry' | 'not_connected';

const TRIES = 5;

/** Who asked, and with what. Checked again before anything is erased, because preparing the revocation may take long. */
type Asker = { userId: string; actor: AuditActor; begun: Beginning };

/** What a disconnect says of a grant that a containment has taken away before. */
type GivenUp = Obstacle | 'revoked' | 'already_gone' | 'failed_will_retry';

/** What became of a grant that a containment has taken away before. */
const findGivenUp = async ({ database }: IntegrationsContext, connection: Connection): Promise<GivenUp> => {
  const { state } = (await getSettled(database, toConsented(connection))) ?? { state: 'unknown' as const };
  if (state === 'pending') return 'failed_will_retry';
  return state === 'failed' ? 'unknown' : state;
};

/**
 * Erases a connection. Returns null if it has changed since it was read, and otherwise the revocation that is left to
 * do, or why there is none.
 */
const erase = async (
  context: IntegrationsContext,
  connection: Connection,
  { userId, actor, begun }: Asker,
): Promise<{ revocationId: string } | { obstacle: GivenUp } | null> => {
  const { database, clock, record, forgetStatus } = context;
  const { teamId, provider, name, accountLabel } = connection;
  const isGivenUp = connection.reason === CONTAINED;
  const revocation = isGivenUp ? await findGivenUp(context, connection) : await prepareRevocation(context, connection);
  return database.transaction(async (tx) => {
    await keepInLedgers(tx, connection, clock.now());
    if ((await deleteConnection(tx, connection)) === 0) return null;
    await context.onConnectionEnded(tx, connection);
    if (typeof revocation === 'object') await putRevocation(context, tx, connection, revocation, { firstTry: 'here' });
    else if (!isGivenUp && (revocation === 'unsupported' || revocation === 'unknown'))
      await settleConnection(tx, toConsented(connection), { state: revocation, now: clock.now() });
    const detail = { connection: name, account: accountLabel };
    await recordAudit(context, tx, teamId, actor, { action: 'integration.disconnect', target: provider, detail });
    await record(tx, await toConnectionEvent(context, tx, 'connection.disconnected', connection));
    // Look only now, because the deletion may have waited for a lock.
    if (!(await lockUserWhoBegan(tx, { teamId, userId }, begun, clock.now()))) throw callerRemoved();
    tx.afterCommit(() => forgetStatus(teamId));
    return typeof revocation === 'object' ? { revocationId: revocation.id } : { obstacle: revocation };
  });
};

/**
 * Removes a connection: here immediately, and at the provider now or as soon as it can be reached. Only after the
 * removal, `tryRevocation` checks whether another connection uses the same grant. If it checked before, and the last
 * two connections of a grant were removed at once, each would find the other, and the grant would stay.
 */
export const disconnect = async (
  context: IntegrationsContext,
  wanted: WantedConnection,
  asker: Asker,
): Promise<Disconnected> => {
  const { catalogue, database } = context;
  const { teamId, provider: providerId } = wanted;
  await context.pause.check();
  const found = await findConnection(database, wanted);
  // Keep this name for all attempts. If the connection changes while it's being removed, the next attempt of a request
  // without a name must not remove a different connection.
  const name = found?.name ?? wanted.name ?? DEFAULT_CONNECTION;
  for (let attempt = 1; attempt <= TRIES; attempt++) {
    const connection = attempt === 1 ? found : await getConnection(database, { teamId, provider: providerId, name });
    if (!connection) {
      findProvider(catalogue, providerId);
      return 'not_connected';
    }
    const erased = await erase(context, connection, asker);
    if (!erased) continue;
    if ('obstacle' in erased) return erased.obstacle;
    const result = await tryRevocation(context, teamId, erased.revocationId).catch((error) => {
      // The job tries the revocation again later.
      if (error instanceof Refusal) return null;
      throw error;
    });
    if (typeof result === 'string') return result;
    return result?.outcome && result.outcome !== 'unconfirmed' ? result.outcome : 'failed_will_retry';
  }
  throw connectionBusy();
};
