import type { Integrations } from '../integrations/index.ts';
import type { Jobs } from '../jobs/index.ts';
import type { Clock, Database, Log, NewId, Outbound } from '../platform/index.ts';
import type { Reports } from '../reports/index.ts';
import type { Teams } from '../teams/index.ts';
import type { Telephony } from '../telephony/index.ts';

/** The dependencies of what agents use. Passed in by `app.ts`. */
export type AgentsContext = {
  database: Database;
  clock: Clock;
  newId: NewId;
  log: Log;
  jobs: Pick<Jobs, 'prune'>;
  outbound: Outbound;
  /** The public base URL. */
  url: string;
  production: boolean;
  /** Signs the cookies of authorizations in progress. The same for all processes. */
  cookieSecret: string;
  /** Schemes of native clients to which people can be sent back. */
  redirectSchemes: readonly string[];
  tokens: Pick<Teams['tokens'], 'create' | 'endGrant'>;
  team: Pick<Teams['team'], 'get'>;
  members: Pick<Teams['members'], 'get' | 'list'>;
  integrations: Pick<
    Integrations,
    'approvals' | 'beginForCaller' | 'callApi' | 'getStatus' | 'listConnected' | 'listConnectionIds' | 'listProviders'
  >;
  /** Counts what happened at the accounts of these connections in the last `sinceMs` milliseconds, by their IDs. */
  countRecent(teamId: string, connectionIds: readonly string[], sinceMs: number): Promise<Map<string, number>>;
  calls: Pick<Telephony['calls'], 'list' | 'getStory'>;
  reports: Pick<Reports, 'getNewestWeek' | 'getReportDetails'>;
};
