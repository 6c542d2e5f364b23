import type { Clock, Database, Secret } from '../../platform/index.ts';
import type { Vault } from '../../vault/index.ts';
import type { Client } from '../requests/provider-request.ts';
import { listCredentials, type StoredCredentials } from './credentials-store.ts';

/** What the operator has set up for a provider. */
export type OperatorClient = { id: string; secret: Secret | null };

export type ClientsDependencies = {
  database: Database;
  vault: Vault;
  clock: Clock;
  operatorClients: ReadonlyMap<string, OperatorClient>;
};

/** Another process's change is seen within a second. */
const FRESH_MS = 800;
const MOST_TEAMS = 10_000;

export const credentialPlace = (provider: string) => ({
  record: `provider_credentials/${provider}`,
  field: 'client_secret',
});

/** Which client a team uses at a provider: its own, or else the operator's. */
export const createClients = ({ database, vault, clock, operatorClients }: ClientsDependencies) => {
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
    operatorHas: (provider: string): boolean => operatorClients.has(provider),
    /** Whose client it would be, without its secret. */
    async find(teamId: string, provider: string): Promise<Omit<Client, 'secret'> | null> {
      const own = (await ownOf(teamId)).get(provider);
      if (own) return { id: own.clientId, of: 'team', params: own.params };
      const operator = operatorClients.get(provider);
      return operator ? { id: operator.id, of: 'operator', params: {} } : null;
    },
    /** With its secret, for immediate use. Null if it has been removed. */
    async open(teamId: string, provider: string, of: Client['of']): Promise<Client | null> {
      if (of === 'operator') {
        const operator = operatorClients.get(provider);
        return operator ? { ...operator, of, params: {} } : null;
      }
      const own = (await ownOf(teamId)).get(provider);
      if (!own) return null;
      const secret =
        own.clientSecret === null ? null : await vault.open(teamId, credentialPlace(provider), own.clientSecret);
      return { id: own.clientId, secret, of, params: own.params };
    },
    /** Not cached, because the status shows it and must not be older than it says. */
    listOwn: async (teamId: string): Promise<ReadonlySet<string>> =>
      new Set((await listCredentials(database, teamId)).map(({ provider }) => provider)),
    /** Call after a change in this process. */
    forget: (): void => {
      known = new Map();
    },
  };
};

export type Clients = ReturnType<typeof createClients>;
