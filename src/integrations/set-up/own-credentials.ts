import { Secret, type Transaction } from '../../platform/index.ts';
import { type AuditActor, lockAdmin, recordAudit } from '../../teams/index.ts';
import { findOauthProvider, findProvider } from '../catalogue/catalogue.ts';
import { matchesWhole } from '../catalogue/find-entry-flaws.ts';
import type { Values } from '../catalogue/placeholders.ts';
import type { OauthRecord } from '../catalogue/provider.ts';
import { checkParams } from '../catalogue/provider-params.ts';
import { findScopesFlaw } from '../catalogue/scopes.ts';
import { settingsOf, usesPrivateKey } from '../catalogue/settings-of.ts';
import { KeyUnusable, readClientKey } from '../clients/client-key.ts';
import { credentialPlace, type OwnKey, sealFields, sealOwnKey } from '../clients/clients.ts';
import {
  changeCredentialScopes,
  deleteCredentials,
  putCredentials,
  type StoredCredentials,
} from '../clients/credentials-store.ts';
import { wakeGivenUpOfTeam } from '../connections/client-use-store.ts';
import type { IntegrationsContext } from '../context.ts';
import { clientInvalid, notConfigured, scopesInvalid } from '../errors.ts';

type OwnClient = Pick<StoredCredentials, 'clientId' | 'clientSecret' | 'params' | 'scopes'> & {
  /** The private key that the client has instead of a secret. */
  privateKey?: string | null;
  keyId?: string | null;
  /** Values of the entry's `clientFields`, by name. */
  fields?: Values;
};

/** The rules for the text of a client ID or secret. */
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

/**
 * Checks a client's private key. Null if the client has none. Throws if the key can't be used, or if the provider
 * doesn't use private keys.
 */
const checkOwnKey = (record: OauthRecord, { clientSecret, privateKey, keyId = null }: OwnClient): OwnKey | null => {
  const uses = usesPrivateKey(record);
  const refuse = (path: string, message: string) => clientInvalid([{ path, message }]);
  if (privateKey == null) {
    if (uses === 'always') throw refuse('privateKey', 'is required, because this provider takes no client secret');
    if (keyId !== null) throw refuse('keyId', 'is only for a client with a private key');
    return null;
  }
  if (clientSecret !== null) throw refuse('privateKey', 'is used instead of a secret, so clientSecret must be null');
  if (uses === 'never')
    throw refuse('privateKey', "is not how clients of this provider authenticate; use its client's secret");
  if (keyId !== null && !isClientText(keyId)) throw refuse('keyId', 'is too long, or not plain ASCII');
  try {
    readClientKey(privateKey, { accepted: record.assertion?.algorithms });
  } catch (error) {
    throw error instanceof KeyUnusable ? refuse('privateKey', error.message.replace(/\.$/, '')) : error;
  }
  return { privateKey, keyId };
};

/** Checks that every field of the entry is given, and no other. The errors never contain the values. */
const checkFields = ({ clientFields = {} }: OauthRecord, given: Values): void => {
  const unknown = Object.keys(given)
    .filter((name) => !Object.hasOwn(clientFields, name))
    .map((name) => ({ path: `fields.${name}`, message: 'is not a field of this provider' }));
  const wrong = Object.entries(clientFields).flatMap(([name, { about, pattern = '.*', maxLength = Infinity }]) => {
    const value = Object.hasOwn(given, name) ? (given[name] ?? '') : '';
    const path = `fields.${name}`;
    if (value === '') return [{ path, message: `is required: ${about}` }];
    const fits = isClientText(value) && value.length <= maxLength && matchesWhole(pattern, value);
    return fits ? [] : [{ path, message: 'is too long, or has another form than this provider uses' }];
  });
  if (unknown.length + wrong.length > 0) throw clientInvalid([...unknown, ...wrong]);
};

const forgetAfter = (tx: Transaction, { clients, forgetStatus }: IntegrationsContext, teamId: string): void =>
  tx.afterCommit(() => {
    clients.forget();
    forgetStatus(teamId);
  });

/** Stores the team's own client at a provider. No other team uses it. */
export const putOwnCredentials = async (
  context: IntegrationsContext,
  { teamId, userId }: { teamId: string; userId: string },
  provider: string,
  client: OwnClient,
  actor: AuditActor,
): Promise<void> => {
  const { database, clock, vault, catalogue } = context;
  const { clientId, clientSecret, params, scopes, fields = {} } = client;
  const { record } = findOauthProvider(catalogue, provider);
  checkParams(record, params);
  checkClient(client);
  const key = checkOwnKey(record, client);
  checkFields(record, fields);
  const sealed = key
    ? await sealOwnKey(vault, teamId, provider, key)
    : clientSecret && (await vault.seal(teamId, credentialPlace(provider), new Secret(clientSecret)));
  const clientFields = await sealFields(vault, teamId, provider, fields);
  await database.transaction(async (tx) => {
    // The secret may have been fixed. If connections were given up because of it, try them again now, not tomorrow.
    // This comes first, because a connect locks its connection before its user.
    await wakeGivenUpOfTeam(tx, { teamId, provider, clientId }, clock.now());
    await lockAdmin(tx, teamId, actor);
    const stored = { provider, clientId, clientSecret: sealed, clientFields, params, scopes };
    await putCredentials(tx, teamId, stored, { at: clock.now(), by: userId });
    await recordAudit(context, tx, teamId, actor, {
      action: 'integration.credentials.put',
      target: provider,
      detail: { clientId, params, scopes },
    });
    forgetAfter(tx, context, teamId);
  });
};

/** Sets the scopes that a connect with the team's own client requests. Null for the defaults. */
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
    await lockAdmin(tx, teamId, actor);
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
    await lockAdmin(tx, teamId, actor);
    if ((await deleteCredentials(tx, teamId, provider)) === 0) return;
    await recordAudit(context, tx, teamId, actor, { action: 'integration.credentials.delete', target: provider });
    forgetAfter(tx, context, teamId);
  });
};
