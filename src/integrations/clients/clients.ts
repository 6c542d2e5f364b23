import { Secret } from '../../platform/index.ts';
import { SealBroken, type SealedColumn, type Vault } from '../../vault/index.ts';
import { getOauthProvider } from '../catalogue/catalogue.ts';
import type { Clients, OperatorClient } from '../catalogue/client.ts';
import type { Values } from '../catalogue/placeholders.ts';
import { lackedSettingsOf } from '../catalogue/settings-of.ts';
import type { IntegrationsContext } from '../context.ts';
import { readClientKey } from './client-key.ts';
import { listCredentials, type StoredCredentials } from './credentials-store.ts';

/** Short enough that a change by another process is visible within a second. */
const FRESH_MS = 800;
const MOST_TEAMS = 10_000;

export const credentialPlace = (provider: string) => ({
  record: `provider_credentials/${provider}`,
  field: 'client_secret',
});

/**
 * A private key is stored in the same column as a secret, but sealed for another field, so that neither can be
 * decrypted as the other.
 */
const keyPlace = (provider: string) => ({ ...credentialPlace(provider), field: 'private_key' });

export const SEALED_CREDENTIALS: SealedColumn = {
  table: 'provider_credentials',
  column: 'client_secret',
  placedBy: ['provider'],
  placesOf: (id = '') => [credentialPlace(id), keyPlace(id)],
};

const fieldsPlace = (provider: string) => ({ ...credentialPlace(provider), field: 'client_fields' });

export const SEALED_CLIENT_FIELDS: SealedColumn = {
  table: 'provider_credentials',
  column: 'client_fields',
  placedBy: ['provider'],
  placesOf: (id = '') => [fieldsPlace(id)],
};

/** Seals the fields of a team's own client. They must be validated already. */
export const sealFields = async (
  vault: Vault,
  teamId: string,
  provider: string,
  fields: Values,
): Promise<string | null> => {
  const values = Object.values(fields);
  if (values.length === 0) return null;
  return vault.seal(teamId, fieldsPlace(provider), new Secret(JSON.stringify(fields), values));
};

const openFields = async (
  vault: Vault,
  teamId: string,
  { provider, clientFields: sealed }: StoredCredentials,
): Promise<Record<string, Secret>> => {
  if (sealed === null) return {};
  const fields: Values = JSON.parse((await vault.open(teamId, fieldsPlace(provider), sealed)).reveal());
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, new Secret(value)]));
};

/** A team's own private key. It must be validated already. */
export type OwnKey = { privateKey: string; keyId: string | null };

export const sealOwnKey = (vault: Vault, teamId: string, provider: string, key: OwnKey): Promise<string> =>
  vault.seal(teamId, keyPlace(provider), new Secret(JSON.stringify(key), [key.privateKey]));

/** Opens the secret of a team's own client, or its private key. */
const openStored = async (
  vault: Vault,
  teamId: string,
  { provider, clientSecret: sealed }: StoredCredentials,
): Promise<Omit<OperatorClient, 'id'>> => {
  if (sealed === null) return { secret: null };
  try {
    return { secret: await vault.open(teamId, credentialPlace(provider), sealed) };
  } catch (error) {
    if (!(error instanceof SealBroken)) throw error;
    const own: OwnKey = JSON.parse((await vault.open(teamId, keyPlace(provider), sealed)).reveal());
    return { secret: null, key: readClientKey(own.privateKey, own) };
  }
};

export const createClients = (
  context: Pick<IntegrationsContext, 'database' | 'vault' | 'clock' | 'catalogue' | 'operatorClients'>,
): Clients => {
  const { database, vault, clock, catalogue, operatorClients } = context;
  let known = new Map<string, { at: number; own: Map<string, StoredCredentials> }>();

  const ownOf = async (teamId: string): Promise<Map<string, StoredCredentials>> => {
    const now = clock.now();
    const found = known.get(teamId);
    if (found && now >= found.at && now - found.at < FRESH_MS) return found.own;
    const into = known;
    const own = new Map((await listCredentials(database, teamId)).map((row) => [row.provider, row]));
    if (into.size >= MOST_TEAMS) known = new Map();
    else into.set(teamId, { at: now, own });
    return own;
  };

  return {
    operatorHas(provider) {
      const operator = operatorClients.get(provider);
      const entry = getOauthProvider(catalogue, provider);
      return operator !== undefined && (!entry || lackedSettingsOf(entry.record, operator).length === 0);
    },
    async find(teamId, provider) {
      const own = (await ownOf(teamId)).get(provider);
      if (own) return { id: own.clientId, of: 'team', params: own.params, scopes: own.scopes };
      const operator = operatorClients.get(provider);
      return operator ? { id: operator.id, of: 'operator', params: {}, scopes: null } : null;
    },
    async open(teamId, provider, of) {
      if (of === 'operator') {
        const operator = operatorClients.get(provider);
        return operator ? { ...operator, of, params: {}, scopes: null } : null;
      }
      const own = (await ownOf(teamId)).get(provider);
      if (!own) return null;
      const { clientId: id, params, scopes } = own;
      const fields = await openFields(vault, teamId, own);
      return { id, ...(await openStored(vault, teamId, own)), fields, of, params, scopes };
    },
    listOwn: async (teamId) =>
      new Map((await listCredentials(database, teamId)).map(({ provider, scopes }) => [provider, { scopes }])),
    forget: () => {
      known = new Map();
    },
  };
};
