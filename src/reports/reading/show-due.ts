import type { Clock, Database } from '../../platform/index.ts';
import type { Team } from '../../teams/index.ts';
import { listReports } from '../figures/report-store.ts';
import { findReportsDue, type ReportsDue } from '../week/due-weeks.ts';

/** When the service makes the team's reports on its own. */
export const showDue = async (
  { database, clock }: { database: Database; clock: Clock },
  { id, timeZone }: Team,
): Promise<ReportsDue> => {
  const [newest] = await listReports(database, id, 1);
  return findReportsDue(timeZone, clock.now(), newest?.week ?? null);
};
