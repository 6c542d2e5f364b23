import type { Recorder } from '../events/index.ts';
import type { Jobs } from '../jobs/index.ts';
import type { Clock, Database, Log, NewId, Outbound, Pause, Transaction } from '../platform/index.ts';
import type { Vault } from '../vault/index.ts';
import type { Clients, OperatorClient } from './catalogue/client.ts';
import type { Catalogue, OauthProvider, ResolvedProvider } from './catalogue/provider.ts';

/**
 * The dependencies of the integrations' use cases. All but `clients`, `discover` and what is forgotten come from `app.ts`.
 */
export type IntegrationsContext = {
  database: Database;
  clock: Clock;
  newId: NewId;
  log: Log;
  vault: Vault;
  jobs: Jobs;
  /** The operator's pause. Check it before work that contacts a provider. */
  pause: Pause;
  /** Records an event about a connection, in the transaction that changes it. */
  record: Recorder['record'];
  outbound: Outbound;
  /** The public base URL. */
  url: string;
  returnOrigins: readonly string[];
  limits: { connections: number };
  /** Whether connections are verified without anyone asking for it. */
  verifies: boolean;
  catalogue: Catalogue;
  operatorClients: ReadonlyMap<string, OperatorClient>;
  clients: Clients;
  /** Completes an entry that has only an issuer. A full entry is already complete. */
  discover(provider: OauthProvider): ResolvedProvider | Promise<ResolvedProvider>;
  /** Empties the team's cached status. Call it after a change to the team's connections or clients. */
  forgetStatus(teamId: string): void;
  /** Called in the transaction that removes a connection, or gives it to another account. */
  onConnectionEnded(tx: Transaction, connection: { teamId: string; provider: string; id: string }): Promise<void>;
  /** Empties the memory of teams' addresses for webhooks. Call it after a change to one. */
  forgetWebhooks(): void;
};
