import { type Adapter, type AdapterPayload, errors } from 'oidc-provider';
import { createStoredAdapter } from '../../oauth/index.ts';
import type { Database } from '../../platform/index.ts';
import { createMemoryAdapter } from './memory-adapter.ts';

/** The most that is stored of each kind. */
const MOST = 1_000;

/** The kinds that are stored, besides the grant. */
const TOKENS: ReadonlySet<string> = new Set(['AccessToken', 'RefreshToken']);

const secondsLeft = ({ exp = 0 }: AdapterPayload): number => exp - Math.floor(Date.now() / 1_000);

/** Stores what has to outlast a restart. */
export const storeIssued = (kind: string, database: Database, most = MOST): Adapter =>
  createStoredAdapter(database, {
    ...{ table: 'sandbox_issued', kind, most },
    onUsed: () => new errors.InvalidGrant('It was already used.'),
  });

/**
 * Decides where the sandbox keeps each kind of data. A grant stays in memory until its first token is issued. That
 * takes the client's secret, which only Patchbay has. So a stranger who presses "Allow", as anyone can, stores nothing,
 * and can't push out the grants of others.
 */
export const createAdapters = (database: Database): ((kind: string) => Adapter) => {
  const waiting = createMemoryAdapter();
  const stored = storeIssued('Grant', database);

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
    const tokens = storeIssued(kind, database);
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
