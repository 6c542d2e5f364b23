import type { Events } from '../events/index.ts';
import type { Integrations } from '../integrations/index.ts';
import type { Notices } from '../notices/index.ts';
import type { Clock, Database, Pause } from '../platform/index.ts';
import type { Reports } from '../reports/index.ts';
import type { Teams } from '../teams/index.ts';
import type { Telephony } from '../telephony/index.ts';

/** The dependencies of the pages: the use cases of all parts of the service. */
export type DashboardContext = {
  database: Database;
  clock: Clock;
  pause: Pick<Pause, 'read'>;
  /** The public base URL. */
  url: string;
  teams: Teams;
  events: Events;
  integrations: Integrations;
  telephony: Telephony;
  notices: Notices;
  reports: Reports;
};
