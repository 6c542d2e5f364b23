import type { Recorder } from '../events/index.ts';
import type { Jobs } from '../jobs/index.ts';
import type { Clock, Database, Log, NewId, Outbound, Pause } from '../platform/index.ts';
import type { Vault } from '../vault/index.ts';
import type { Clients, OperatorClient } from './catalogue/client.ts';
import type { Catalogue, OauthProvider, ResolvedProvider } from './catalogue/provider.ts';

/** What the use cases of the room work with. All but the last three come from `app.ts`. */
export type IntegrationsContext = {
  database: Database;
  clock: Clock;
  newId: NewId;
  log: Log;
  vault: Vault;
  jobs: Jobs;
  /** Checked before anything that would contact somebody is begun. */
  pause: Pause;
  /** Records what happens to a connection, in the transaction of its change. */
  record: Recorder['record'];
  outbound: Outbound;
  /** The public base URL. */
  url: string;
  returnOrigins: readonly string[];
  limits: { connections: number };
  catalogue: Catalogue;
  operatorClients: ReadonlyMap<string, OperatorClient>;
  clients: Clients;
  /** Completes an entry that has only an issuer. A full entry is already complete. */
  discover(provider: OauthProvider): ResolvedProvider | Promise<ResolvedProvider>;
  /** Call after a change to a team's connections or clients. */
  forgetStatus(teamId: string): void;
};
