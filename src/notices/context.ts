import type { Events } from '../events/index.ts';
import type { Jobs } from '../jobs/index.ts';
import type { Clock, Database, Log, Mailer, NewId, Outbound, Pause } from '../platform/index.ts';
import type { Vault } from '../vault/index.ts';

/** What the use cases of this room work with. Handed over by `app.ts`. */
export type NoticesContext = {
  database: Database;
  vault: Vault;
  clock: Clock;
  newId: NewId;
  log: Log;
  jobs: Jobs;
  /** Checked before any work that would contact somebody. */
  pause: Pause;
  outbound: Outbound;
  /** Null if no mail server is configured. */
  mailer: Mailer | null;
  events: Pick<Events, 'alerts'>;
  /** The public base URL. */
  url: string;
};
