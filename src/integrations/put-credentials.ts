import { type Clock, type Database, type NewId, Secret } from '../platform/index.ts';
import { type AuditActor, recordAudit } from '../teams/index.ts';
import type { Vault } from '../vault/index.ts';
import { checkParams, findProvider } from './begin-connect.ts';
import type { Catalogue } from './catalogue.ts';
import { type Clients, credentialPlace } from './clients.ts';
import { deleteCredentials, putCredentials } from './credentials-store.ts';

export type CredentialDependencies = {
  database: Database;
  clock: Clock;
  newId: NewId;
  vault: Vault;
  catalogue: Catalogue;
  clients: Clients;
  forgetStatus(teamId: string): void;
};

/** The team's own client at a provider, for this team alone. */
export const putOwnCredentials = async (
  { database, clock, newId, vault, catalogue, clients, forgetStatus }: CredentialDependencies,
  { teamId, userId }: { teamId: string; userId: string },
  provider: string,
  { clientId, clientSecret, params }: { clientId: string; clientSecret: string | null; params: Record<string, string> },
  actor: AuditActor,
): Promise<void> => {
  checkParams(findProvider(catalogue, provider).record, params);
  const sealed =
    clientSecret === null ? null : await vault.seal(teamId, credentialPlace(provider), new Secret(clientSecret));
  await database.transaction(async (tx) => {
    const stored = { provider, clientId, clientSecret: sealed, params };
    await putCredentials(tx, teamId, stored, { at: clock.now(), by: userId });
    await recordAudit({ clock, newId }, tx, teamId, actor, {
      action: 'integration.credentials.put',
      target: provider,
      detail: { clientId, params },
    });
    tx.afterCommit(() => {
      clients.forget();
      forgetStatus(teamId);
    });
  });
};

export const deleteOwnCredentials = async (
  { database, clock, newId, catalogue, clients, forgetStatus }: CredentialDependencies,
  teamId: string,
  provider: string,
  actor: AuditActor,
): Promise<void> => {
  findProvider(catalogue, provider);
  await database.transaction(async (tx) => {
    if ((await deleteCredentials(tx, teamId, provider)) === 0) return;
    await recordAudit({ clock, newId }, tx, teamId, actor, {
      action: 'integration.credentials.delete',
      target: provider,
    });
    tx.afterCommit(() => {
      clients.forget();
      forgetStatus(teamId);
    });
  });
};
