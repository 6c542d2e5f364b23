import type { Jobs } from '../jobs/index.ts';
import type { Clock, Database, Forwarder, Log, NewId, Pause } from '../platform/index.ts';
import type { Vault } from '../vault/index.ts';

/** What this room's use cases work with. */
export type EventsContext = {
  database: Database;
  clock: Clock;
  newId: NewId;
  log: Log;
  vault: Vault;
  jobs: Jobs;
  /** Checked before any work that would contact somebody. */
  pause: Pause;
  /**
   * Sends requests to endpoints, over connections used for nothing else. Receivers that hang can't block other
   * requests.
   */
  forwarder: Forwarder;
  /** The public base URL. */
  url: string;
  production: boolean;
  /** Called when these endpoints have changed, or have an event to send again. */
  onEndpointsChanged(ids: readonly string[]): void;
};
