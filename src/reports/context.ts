import type { Recorder } from '../events/index.ts';
import type { Integrations } from '../integrations/index.ts';
import type { Jobs } from '../jobs/index.ts';
import type { Clock, Database, Log, Mailer, NewId, Outbound, Pause } from '../platform/index.ts';
import type { Vault } from '../vault/index.ts';

/** The dependencies of the use cases for reports. Passed in by `app.ts`. */
export type ReportsContext = {
  database: Database;
  vault: Vault;
  clock: Clock;
  newId: NewId;
  log: Log;
  jobs: Jobs;
  /** Checked before anything is sent to people or other services. */
  pause: Pause;
  /** Records that a report is ready, in the transaction that stores it. */
  record: Recorder['record'];
  outbound: Outbound;
  /** Null if no mail server is configured. Pages then don't promise an email. */
  mailer: Mailer | null;
  integrations: Pick<Integrations, 'listConnected'>;
  url: string;
  production: boolean;
};
