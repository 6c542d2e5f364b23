import { noteInSpan, type Secret, toIsoOrNull } from '../../platform/index.ts';
import type { AuditActor, AuditLog } from '../../teams/index.ts';
import { findProvider, isKeyBased, usesClientCredentials } from '../catalogue/catalogue.ts';
import type { Connection } from '../connections/connection.ts';
import { getConnection } from '../connections/connection-store.ts';
import { openAccessToken } from '../connections/connection-tokens.ts';
import type { WantedConnection } from '../connections/find-connection.ts';
import { noteHandOut } from '../due/verification-store.ts';
import { contained, noToken, notConnected } from '../errors.ts';
import { getWorkingConnection, type WorkingContext } from './working-connection.ts';

/** The action of a hand-out in the audit log. */
export const HAND_OUT = 'integration.token';

/** What its entry says. Entries from before November 2026 have only the connection. */
export type HandOutDetail = {
  connection: string;
  account?: { id: string | null; label: string | null };
  /** The access token of the caller. Null if the caller used another credential. */
  token?: { id: string; name: string | null } | null;
  /** The trace that the request belongs to, if any. */
  traceId?: string;
};

/** How the token was asked for. `checkCaller` throws if the caller has lost their rights. */
type Asking = { checkCaller(): Promise<void>; traceId?: string | undefined };

/** The minimum time between two notes, because a program may ask for the token before each of its requests. */
const NOTED_EVERY_MS = 3_600_000;

const isNoteDue = ({ handedOutAt }: Connection, now: number): boolean =>
  handedOutAt === null || handedOutAt > now || now - handedOutAt >= NOTED_EVERY_MS;

/** Returns an access token that works. */
export const handOutToken = async (
  context: WorkingContext & { audit: AuditLog },
  wanted: WantedConnection,
  actor: AuditActor,
  { checkCaller, traceId }: Asking,
): Promise<{ accessToken: Secret; tokenType: 'Bearer'; expiresAt: string | null; scopes: string[] }> => {
  const { database, vault, clock, audit, catalogue } = context;
  const entry = findProvider(catalogue, wanted.provider);
  if (isKeyBased(entry) && !usesClientCredentials(entry)) throw noToken();
  const connection = await getWorkingConnection(context, wanted);
  // A refresh takes as long as the provider does. Meanwhile, the caller may have lost access.
  await checkCaller();
  noteInSpan({ 'patchbay.provider': connection.provider });
  const { teamId, provider, name, accountId, accountLabel } = connection;
  const accessToken = await openAccessToken(vault, connection);
  const now = clock.now();
  if (isNoteDue(connection, now)) await noteHandOut(database, connection, { now, everyMs: NOTED_EVERY_MS });
  // Write the audit entry first, so that no token is handed out without one.
  const token = actor.tokenId === undefined ? null : { id: actor.tokenId, name: actor.tokenName ?? null };
  const detail: HandOutDetail = {
    connection: name,
    account: { id: accountId, label: accountLabel },
    token,
    ...(traceId ? { traceId } : {}),
  };
  await audit(teamId, actor, { action: HAND_OUT, target: provider, detail });
  // The note and the entry may have waited for locks. Meanwhile, the caller may have lost access, and the account may
  // have been disconnected or contained.
  const current = await getConnection(database, connection);
  if (current?.id !== connection.id || current.connectedAt !== connection.connectedAt) throw notConnected();
  if (current.containedBy !== null) throw contained();
  await checkCaller();
  return {
    accessToken,
    tokenType: 'Bearer',
    expiresAt: toIsoOrNull(connection.expiresAt),
    scopes: connection.scopesGranted ?? connection.scopesAsked,
  };
};
