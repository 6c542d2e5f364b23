import { Secret, type Transaction } from '../../platform/index.ts';
import { type AuditActor, recordAudit } from '../../teams/index.ts';
import { findOauthProvider, findProvider } from '../catalogue/catalogue.ts';
import type { IntegrationsContext } from '../catalogue/context.ts';
import { checkParams } from '../catalogue/provider-params.ts';
import { findScopesFlaw } from '../catalogue/scopes.ts';
import { settingsOf } from '../catalogue/settings-of.ts';
import { credentialPlace } from '../clients/clients.ts';
import {
  changeCredentialScopes,
  deleteCredentials,
  putCredentials,
  type StoredCredentials,
} from '../clients/credentials-store.ts';
import { wakeGivenUpOfTeam } from '../connections/connection-store.ts';
import { clientInvalid, notConfigured, scopesInvalid } from '../errors.ts';

export type OwnClient = Pick<StoredCredentials, 'clientId' | 'clientSecret' | 'params' | 'scopes'>;

/** What a client id or secret looks like. */
export const CLIENT_TEXT = {
  minLength: 1,
  maxLength: 2_000,
  pattern: '^[\\x20-\\x7e]+$',
  description: 'Printable ASCII characters',
} as const;

const isClientText = (text: string): boolean =>
  text.length <= CLIENT_TEXT.maxLength && new RegExp(CLIENT_TEXT.pattern).test(text);

const checkScopes = (scopes: readonly string[] | null): void => {
  const flaw = scopes && findScopesFlaw(scopes);
  if (flaw) throw scopesInvalid(flaw);
};

const checkClient = ({ clientId, clientSecret, scopes }: OwnClient): void => {
  const wrong = Object.entries({ clientId, clientSecret }).flatMap(([path, text]) =>
    text === null || isClientText(text) ? [] : [{ path, message: 'is missing, too long, or not plain ASCII' }],
  );
  if (wrong.length > 0) throw clientInvalid(wrong);
  checkScopes(scopes);
};

const forgetAfter = (tx: Transaction, { clients, forgetStatus }: IntegrationsContext, teamId: string): void =>
  tx.afterCommit(() => {
    clients.forget();
    forgetStatus(teamId);
  });

/** The team's own client at a provider, for this team only. */
export const putOwnCredentials = async (
  context: IntegrationsContext,
  { teamId, userId }: { teamId: string; userId: string },
  provider: string,
  client: OwnClient,
  actor: AuditActor,
): Promise<void> => {
  const { database, clock, vault, catalogue } = context;
  const { clientId, clientSecret, params, scopes } = client;
  checkParams(findOauthProvider(catalogue, provider).record, params);
  checkClient(client);
  const sealed =
    clientSecret === null ? null : await vault.seal(teamId, credentialPlace(provider), new Secret(clientSecret));
  await database.transaction(async (tx) => {
    const stored = { provider, clientId, clientSecret: sealed, params, scopes };
    await putCredentials(tx, teamId, stored, { at: clock.now(), by: userId });
    // The secret may have been fixed: connections that were given up because of it are tried again now, not tomorrow.
    await wakeGivenUpOfTeam(tx, { teamId, provider, clientId }, clock.now());
    await recordAudit(context, tx, teamId, actor, {
      action: 'integration.credentials.put',
      target: provider,
      detail: { clientId, params, scopes },
    });
    forgetAfter(tx, context, teamId);
  });
};

/** What connecting with the team's own client requests. Null: the defaults. */
export const putOwnScopes = async (
  context: IntegrationsContext,
  teamId: string,
  provider: string,
  scopes: readonly string[] | null,
  actor: AuditActor,
): Promise<void> => {
  findOauthProvider(context.catalogue, provider);
  checkScopes(scopes);
  await context.database.transaction(async (tx) => {
    const changed = await changeCredentialScopes(tx, teamId, provider, scopes);
    if (changed === 0) throw notConfigured(settingsOf(provider));
    await recordAudit(context, tx, teamId, actor, {
      action: 'integration.scopes.put',
      target: provider,
      detail: { scopes },
    });
    forgetAfter(tx, context, teamId);
  });
};

export const deleteOwnCredentials = async (
  context: IntegrationsContext,
  teamId: string,
  provider: string,
  actor: AuditActor,
): Promise<void> => {
  findProvider(context.catalogue, provider);
  await context.database.transaction(async (tx) => {
    if ((await deleteCredentials(tx, teamId, provider)) === 0) return;
    await recordAudit(context, tx, teamId, actor, { action: 'integration.credentials.delete', target: provider });
    forgetAfter(tx, context, teamId);
  });
};
