import { withinOrNull } from '../../platform/index.ts';
import { findProvider } from '../catalogue/catalogue.ts';
import { type Connection, hasExpired } from '../connections/connection.ts';
import { getConnection } from '../connections/connection-store.ts';
import { findConnection, toNotConnected, type WantedConnection } from '../connections/find-connection.ts';
import type { IntegrationsContext } from '../context.ts';
import { contained, needsReconnect, noFreshToken, notConnected } from '../errors.ts';
import type { Refresher } from './refresh-connection.ts';

export type WorkingContext = IntegrationsContext & { refresher: Refresher };

const LEAST_WAIT_SECONDS = 1;
/** How long a request waits for a new token if the old one still works. After that, it uses the old token. */
const PATIENCE_MS = 4_000;

const getFresh = async (context: WorkingContext, wanted: WantedConnection): Promise<Connection> => {
  const { database, clock, refresher } = context;
  const connection = await findConnection(database, wanted);
  if (!connection) throw await toNotConnected(context, wanted);
  const { refreshDueAt } = connection;
  const now = clock.now();
  if (connection.containedBy !== null || refreshDueAt === null || refreshDueAt > now) return connection;
  const refreshing = refresher.refresh(connection);
  await (hasExpired(connection, now) ? refreshing : withinOrNull(PATIENCE_MS, refreshing));
  const current = await getConnection(database, connection);
  if (!current) throw notConnected();
  return current;
};

/**
 * Whether a connection has ended. A connection that was refused for days hasn't: refreshes are still tried every day,
 * and its access token may work until the token expires.
 */
const hasEnded = ({ status, reason, refreshDueAt, expiresAt }: Connection, now: number): boolean =>
  status === 'needs_reconnect' && (refreshDueAt === null || reason === 'unreadable' || hasExpired({ expiresAt }, now));

/**
 * Returns a connection with a working access token. Refreshes it first if that's due. If the refresh fails, a token
 * that hasn't expired is good enough.
 */
export const getWorkingConnection = async (context: WorkingContext, wanted: WantedConnection): Promise<Connection> => {
  const { catalogue, clock } = context;
  findProvider(catalogue, wanted.provider);
  const connection = await getFresh(context, wanted);
  if (connection.containedBy !== null) throw contained();
  const now = clock.now();
  if (hasEnded(connection, now)) throw needsReconnect(connection.reason);
  if (hasExpired(connection, now)) {
    const waitMs = Math.max(0, (connection.refreshDueAt ?? now) - now);
    throw connection.refreshDueAt === null
      ? needsReconnect(connection.reason)
      : noFreshToken(Math.max(LEAST_WAIT_SECONDS, Math.ceil(waitMs / 1_000)));
  }
  return connection;
};
