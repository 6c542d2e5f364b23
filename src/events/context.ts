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
  /** Checked before anything that would contact somebody is begun. */
  pause: Pause;
  /** Its connections are used for nothing else, so receivers that hang only hold their own. */
  forwarder: Forwarder;
  /** The public base URL. */
  url: string;
  production: boolean;
  /** These endpoints have changed, or have something to be sent again. */
  onEndpointsChanged(ids: readonly string[]): void;
};
