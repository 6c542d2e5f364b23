import type { Events } from '../events/index.ts';
import type { Jobs } from '../jobs/index.ts';
import type { Clock, Database, Log, Mailer, NewId, Outbound, Pause } from '../platform/index.ts';
import type { Vault } from '../vault/index.ts';

/** The dependencies of the use cases for notices. Passed in by `app.ts`. */
export type NoticesContext = {
  database: Database;
  vault: Vault;
  clock: Clock;
  newId: NewId;
  log: Log;
  jobs: Jobs;
  /** Checked before anything is sent to people or other services. */
  pause: Pause;
  outbound: Outbound;
  /** Null if no mail server is configured. */
  mailer: Mailer | null;
  events: Pick<Events, 'alerts'>;
  /** The public base URL. */
  url: string;
};
