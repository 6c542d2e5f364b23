import type { Clients } from '../catalogue/client.ts';
import type { IntegrationsContext } from '../catalogue/context.ts';
import { listCredentials, type StoredCredentials } from './credentials-store.ts';

/** Another process's change is seen within a second. */
const FRESH_MS = 800;
const MOST_TEAMS = 10_000;

export const credentialPlace = (provider: string) => ({
  record: `provider_credentials/${provider}`,
  field: 'client_secret',
});

export const createClients = (
  context: Pick<IntegrationsContext, 'database' | 'vault' | 'clock' | 'operatorClients'>,
): Clients => {
  const { database, vault, clock, operatorClients } = context;
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
    operatorHas: (provider) => operatorClients.has(provider),
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
      const { clientId: id, clientSecret: sealed, params, scopes } = own;
      const secret = sealed === null ? null : await vault.open(teamId, credentialPlace(provider), sealed);
      return { id, secret, of, params, scopes };
    },
    listOwn: async (teamId) =>
      new Map((await listCredentials(database, teamId)).map(({ provider, scopes }) => [provider, { scopes }])),
    forget: () => {
      known = new Map();
    },
  };
};
