import type { Jobs } from '../jobs/index.ts';
import type { Clock, Database, Forwarder, Log, NewId, Pause } from '../platform/index.ts';
import type { Vault } from '../vault/index.ts';

/** The dependencies of the use cases for events. Passed in by `app.ts`. */
export type EventsContext = {
  database: Database;
  clock: Clock;
  newId: NewId;
  log: Log;
  vault: Vault;
  jobs: Jobs;
  /** Checked before anything is sent to people or other services. */
  pause: Pause;
  /** Sends requests to endpoints. Has its own connections, so that receivers that hang can't block other requests. */
  forwarder: Forwarder;
  /** The public base URL. */
  url: string;
  production: boolean;
  /** Called when these endpoints were changed, or when an event has to be sent to them again. */
  onEndpointsChanged(ids: readonly string[]): void;
};
