import type { Adapter, AdapterPayload } from 'oidc-provider';
import type { Database } from '../../platform/index.ts';
import { createMemoryAdapter } from './memory-adapter.ts';
import { createStoredAdapter } from './stored-adapter.ts';

/** The kinds that are stored, besides the grant. */
const TOKENS: ReadonlySet<string> = new Set(['AccessToken', 'RefreshToken']);

const secondsLeft = ({ exp = 0 }: AdapterPayload): number => exp - Math.floor(Date.now() / 1_000);

/**
 * Decides where the sandbox keeps each kind of data. A grant stays in memory until its first token is issued. That
 * takes the client's secret, which only Patchbay has. So a stranger who presses "Allow", as anyone can, stores nothing,
 * and can't push out the grants of others.
 */
export const createAdapters = (database: Database): ((kind: string) => Adapter) => {
  const waiting = createMemoryAdapter();
  const stored = createStoredAdapter('Grant', database);

  const storeGrant = async (id = ''): Promise<void> => {
    const grant = await waiting.find(id);
    if (!grant) return;
    await stored.upsert(id, grant, secondsLeft(grant));
    await waiting.destroy(id);
  };

  const grants: Adapter = {
    ...stored,
    upsert: waiting.upsert,
    find: async (id) => (await waiting.find(id)) ?? stored.find(id),
    async destroy(id) {
      await waiting.destroy(id);
      await stored.destroy(id);
    },
  };

  const createTokens = (kind: string): Adapter => {
    const tokens = createStoredAdapter(kind, database);
    return {
      ...tokens,
      async upsert(id, payload, expiresInSeconds) {
        await storeGrant(payload.grantId);
        await tokens.upsert(id, payload, expiresInSeconds);
      },
    };
  };

  return (kind) => {
    if (kind === 'Grant') return grants;
    return TOKENS.has(kind) ? createTokens(kind) : createMemoryAdapter();
  };
};
