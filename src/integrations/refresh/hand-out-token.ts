import { type Secret, toIsoOrNull } from '../../platform/index.ts';
import type { AuditActor, AuditLog } from '../../teams/index.ts';
import { findProvider, isKeyBased, usesClientCredentials } from '../catalogue/catalogue.ts';
import { openAccessToken } from '../connections/connection-tokens.ts';
import type { WantedConnection } from '../connections/find-connection.ts';
import { noToken } from '../errors.ts';
import { getWorkingConnection, type WorkingContext } from './working-connection.ts';

/** The action of a hand-out in the audit log. */
export const HAND_OUT = 'integration.token';

/** What its entry says. Entries from before November 2026 have only the connection. */
export type HandOutDetail = {
  connection: string;
  account?: { id: string | null; label: string | null };
  /** The access token of the caller. Null if the caller used another credential. */
  token?: { id: string; name: string | null } | null;
};

/** Returns an access token that works. */
export const handOutToken = async (
  context: WorkingContext & { audit: AuditLog },
  wanted: WantedConnection,
  actor: AuditActor,
): Promise<{ accessToken: Secret; tokenType: 'Bearer'; expiresAt: string | null; scopes: string[] }> => {
  const { vault, audit, catalogue } = context;
  const entry = findProvider(catalogue, wanted.provider);
  if (isKeyBased(entry) && !usesClientCredentials(entry)) throw noToken();
  const connection = await getWorkingConnection(context, wanted);
  const { teamId, provider, name, accountId, accountLabel } = connection;
  const accessToken = await openAccessToken(vault, connection);
  // Write the audit entry first, so that no token is handed out without one.
  const token = actor.tokenId === undefined ? null : { id: actor.tokenId, name: actor.tokenName ?? null };
  const detail: HandOutDetail = { connection: name, account: { id: accountId, label: accountLabel }, token };
  await audit(teamId, actor, { action: HAND_OUT, target: provider, detail });
  return {
    accessToken,
    tokenType: 'Bearer',
    expiresAt: toIsoOrNull(connection.expiresAt),
    scopes: connection.scopesGranted ?? connection.scopesAsked,
  };
};
