import type { Integrations } from '../integrations/index.ts';
import type { Log } from '../platform/index.ts';
import type { Reports } from '../reports/index.ts';
import type { Telephony } from '../telephony/index.ts';

/** The dependencies of what agents use. Passed in by `app.ts`. */
export type AgentsContext = {
  log: Log;
  /** The public base URL. */
  url: string;
  integrations: Pick<Integrations, 'approvals' | 'beginForCaller' | 'callApi' | 'getStatus' | 'listProviders'>;
  calls: Pick<Telephony['calls'], 'list' | 'getStory'>;
  reports: Pick<Reports, 'getNewestWeek' | 'getReportDetails'>;
};
