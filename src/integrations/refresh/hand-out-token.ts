import { type Secret, toIsoOrNull } from '../../platform/index.ts';
import type { AuditActor, AuditLog } from '../../teams/index.ts';
import { findProvider, isKeyBased, usesClientCredentials } from '../catalogue/catalogue.ts';
import { openAccessToken } from '../connections/connection-tokens.ts';
import type { WantedConnection } from '../connections/find-connection.ts';
import { noToken } from '../errors.ts';
import { getWorkingConnection, type WorkingContext } from './working-connection.ts';

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
  const { teamId, provider, name } = connection;
  const accessToken = await openAccessToken(vault, connection);
  // Write the audit entry first, so that no token is handed out without one.
  await audit(teamId, actor, { action: 'integration.token', target: provider, detail: { connection: name } });
  return {
    accessToken,
    tokenType: 'Bearer',
    expiresAt: toIsoOrNull(connection.expiresAt),
    scopes: connection.scopesGranted ?? connection.scopesAsked,
  };
};
