import { type Adapter, errors } from 'oidc-provider';
import { createStoredAdapter } from '../../oauth/index.ts';
import type { AgentClients } from '../clients/clients.ts';
import type { AgentsContext } from '../context.ts';
import { parseAccount } from './account.ts';

/** How long a refresh token can be used again: two windows of a client refresh at the same time, or a response is lost. */
const GRACE_MS = 30_000;
/** Only people who are signed in begin authorizations, and each only so many. */
const MOST_INTERACTIONS = 10_000;

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

  const store = (kind: string, most: number | null, graceMs = 0): Adapter =>
    createStoredAdapter(database, {
      ...{ table: 'agent_issued', kind, most, graceMs, now: clock.now },
      onUsed: () => new errors.InvalidGrant('It was already used.'),
    });

  const stored = store('Grant', null);
  const grants: Adapter = {
    ...stored,
    upsert: (id, payload, seconds) => stored.upsert(id, { ...payload, grantId: id }, seconds),
    async destroy(id) {
      const grant = await stored.find(id);
      const account = parseAccount(grant?.accountId);
      if (account) await tokens.endGrant(account.teamId, id, 'a code or a refresh token was used twice, or given back');
      await stored.destroy(id);
    },
  };

  const known: Readonly<Record<string, Adapter>> = {
    Session: NOTHING_KEPT,
    Client: { ...NOTHING_KEPT, find: clients.find },
    Grant: grants,
    Interaction: store('Interaction', MOST_INTERACTIONS),
    RefreshToken: store('RefreshToken', null, GRACE_MS),
  };
  return (kind) => known[kind] ?? store(kind, null);
};
