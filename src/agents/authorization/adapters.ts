import { type Adapter, errors } from 'oidc-provider';
import { createStoredAdapter, deleteUsedIssued } from '../../oauth/index.ts';
import { listContainedTokens } from '../../teams/index.ts';
import type { AgentClients } from '../clients/clients.ts';
import type { AgentsContext } from '../context.ts';
import { parseAccount } from './account.ts';

/** How long a refresh token can be used again: two windows of a client refresh at the same time, or a response is lost. */
const GRACE_MS = 30_000;
/** How many refresh tokens of a grant are remembered after their use, to notice when one comes again. */
const USED_KEPT = 1_000;

/** Sessions aren't kept: each authorization asks, and our own session says who is asked. */
const NOTHING_KEPT: Adapter = {
  upsert: async () => undefined,
  find: async () => undefined,
  findByUid: async () => undefined,
  findByUserCode: async () => undefined,
  consume: async () => undefined,
  destroy: async () => undefined,
  revokeByGrantId: async () => undefined,
};

/** Where each kind of data is kept. Ending a grant ends the access token that stands for it, and so everything else. */
export const createAgentAdapters = (context: AgentsContext, clients: AgentClients): ((kind: string) => Adapter) => {
  const { database, clock, tokens } = context;

  const store = (kind: string, more: Partial<Parameters<typeof createStoredAdapter>[1]> = {}): Adapter =>
    createStoredAdapter(database, {
      ...{ table: 'agent_issued', kind, most: null, now: clock.now },
      onUsed: () => new errors.InvalidGrant('It was already used.'),
      ...more,
    });

  const stored = store('Grant');
  const grants: Adapter = {
    ...stored,
    /** A stopped grant isn't found, so that no refresh token or code of it is used up: it may be lifted. */
    async find(id) {
      const grant = await stored.find(id);
      return grant && (await listContainedTokens(database, [id])).length === 0 ? grant : undefined;
    },
    upsert: (id, payload, seconds) => stored.upsert(id, { ...payload, grantId: id }, seconds),
    async destroy(id) {
      const grant = await stored.find(id);
      const account = parseAccount(grant?.accountId);
      if (account) await tokens.endGrant(account.teamId, id, 'a code or a refresh token was used twice, or given back');
      await stored.destroy(id);
    },
  };

  /** Issues nothing for a grant that has ended meanwhile. */
  const bound = (adapter: Adapter, onIssued = async (_grantId: string): Promise<void> => undefined): Adapter => ({
    ...adapter,
    /** What was issued for a grant goes with it, which is ended at the same time (`revokeGrantPolicy`). */
    revokeByGrantId: async () => undefined,
    async upsert(id, payload, seconds) {
      const { grantId = '' } = payload;
      try {
        await adapter.upsert(id, payload, seconds);
      } catch (error) {
        throw (await stored.find(grantId)) ? error : new errors.InvalidGrant('It has ended.');
      }
      await onIssued(grantId);
    },
  });
  const refreshTokens = store('RefreshToken', { graceMs: GRACE_MS });

  const known: Readonly<Record<string, Adapter>> = {
    Session: NOTHING_KEPT,
    Client: { ...NOTHING_KEPT, find: clients.find },
    Grant: grants,
    Interaction: store('Interaction', { isDestroyedOnce: true }),
    RefreshToken: bound(refreshTokens, async (grantId) => {
      await deleteUsedIssued(database, 'agent_issued', { kind: 'RefreshToken', grantId, kept: USED_KEPT });
    }),
  };
  return (kind) => known[kind] ?? bound(store(kind));
};
