import type { AdapterPayload } from 'oidc-provider';
import { createStoredAdapter } from '../../oauth/index.ts';
import type { Clock, Database } from '../../platform/index.ts';
import { type AgentClient, toClientMetadata } from './client.ts';

const MINUTE_SECONDS = 60;
/** Enough for a person to come back to an authorization that they have begun. */
const REGISTERED_SECONDS = 24 * 60 * MINUTE_SECONDS;
/** How long the document of a client counts that a person is looking at. */
const DOCUMENT_SECONDS = 15 * MINUTE_SECONDS;
const ADMITTED_SECONDS = 366 * 24 * 60 * MINUTE_SECONDS;
/** Clients that nobody has let in. With more, the oldest go. They are small, and their senders were slowed down. */
const REGISTRATION = { kind: 'Registration', most: 10_000 };
const DOCUMENT = { kind: 'Document', most: 1_000 };

export const STRANGERS = [REGISTRATION, DOCUMENT] as const;

const neverUsed = (): Error => new Error('A client is not used up.');

/**
 * Keeps clients. One that registered, or whose document was fetched, is forgotten soon, unless a person lets it in.
 * Then it's kept for at least as long as the person can have let it in for.
 */
export const createAgentClients = ({ database, clock }: { database: Database; clock: Clock }) => {
  const open = (kind: string) =>
    createStoredAdapter(database, { table: 'agent_issued', kind, most: null, onUsed: neverUsed, now: clock.now });
  const registered = open(REGISTRATION.kind);
  const described = open(DOCUMENT.kind);
  const admitted = open('Client');

  return {
    register: (client: AgentClient): Promise<unknown> =>
      registered.upsert(client.id, toClientMetadata(client), REGISTERED_SECONDS) as Promise<unknown>,
    describe: (client: AgentClient): Promise<unknown> =>
      described.upsert(client.id, toClientMetadata(client), DOCUMENT_SECONDS) as Promise<unknown>,
    async find(id: string): Promise<AdapterPayload | undefined> {
      const found = (await described.find(id)) ?? (await registered.find(id)) ?? (await admitted.find(id));
      if (!found) return undefined;
      const { jti: _, ...metadata } = found;
      return metadata;
    },
    /** Keeps a client that a person lets in. */
    async keep(id: string): Promise<void> {
      const metadata = await this.find(id);
      if (metadata) await admitted.upsert(id, metadata, ADMITTED_SECONDS);
    },
  };
};

export type AgentClients = ReturnType<typeof createAgentClients>;
