import { type Secret, toIsoOrNull } from '../../platform/index.ts';
import type { AuditActor, AuditLog } from '../../teams/index.ts';
import { findProvider } from '../catalogue/catalogue.ts';
import type { IntegrationsContext } from '../catalogue/context.ts';
import { needsReconnect, noFreshToken, notConnected } from '../errors.ts';
import { type Connection, hasExpired } from './connection.ts';
import { getConnection } from './connection-store.ts';
import { openAccessToken } from './connection-tokens.ts';
import { findConnection, toNotConnected, type WantedConnection } from './find-connection.ts';
import type { Refresher } from './refresh-connection.ts';

type HandOutContext = IntegrationsContext & { refresher: Refresher; audit: AuditLog };

const LEAST_WAIT_SECONDS = 1;

const getFresh = async (context: HandOutContext, wanted: WantedConnection): Promise<Connection> => {
  const { database, clock, refresher } = context;
  const connection = await findConnection(database, wanted);
  if (!connection) throw await toNotConnected(context, wanted);
  const { refreshDueAt } = connection;
  if (refreshDueAt === null || refreshDueAt > clock.now()) return connection;
  await refresher.refresh(connection);
  const current = await getConnection(database, connection);
  if (!current) throw notConnected();
  return current;
};

/** Refused for days but tried every day. The grant may be alive, and so may the access token. */
const hasEnded = ({ status, reason, refreshDueAt, expiresAt }: Connection, now: number): boolean =>
  status === 'needs_reconnect' && (refreshDueAt === null || reason === 'unreadable' || hasExpired({ expiresAt }, now));

/** A token that works, refreshed first if that's due. While refreshes fail, one that still works is handed out. */
export const handOutToken = async (
  context: HandOutContext,
  wanted: WantedConnection,
  actor: AuditActor,
): Promise<{ accessToken: Secret; tokenType: 'Bearer'; expiresAt: string | null; scopes: string[] }> => {
  const { catalogue, clock, vault, audit } = context;
  findProvider(catalogue, wanted.provider);
  const connection = await getFresh(context, wanted);
  const { teamId, provider, name } = connection;
  const now = clock.now();
  if (hasEnded(connection, now)) throw needsReconnect(connection.reason);
  if (hasExpired(connection, now)) {
    const waitMs = Math.max(0, (connection.refreshDueAt ?? now) - now);
    throw connection.refreshDueAt === null
      ? needsReconnect(connection.reason)
      : noFreshToken(Math.max(LEAST_WAIT_SECONDS, Math.ceil(waitMs / 1_000)));
  }
  const accessToken = await openAccessToken(vault, connection);
  // Before the token is handed out, so that there's no hand-out without an entry.
  await audit(teamId, actor, { action: 'integration.token', target: provider, detail: { connection: name } });
  return {
    accessToken,
    tokenType: 'Bearer',
    expiresAt: toIsoOrNull(connection.expiresAt),
    scopes: connection.scopesGranted ?? connection.scopesAsked,
  };
};
