import type { Database } from '../platform/index.ts';
import { getTeam } from '../teams/index.ts';
import type { Vault } from '../vault/index.ts';
import type { ReportView } from './compare.ts';
import { openFigures } from './make-report.ts';
import { getReport } from './report-store.ts';

export type OpenReportDependencies = { database: Database; vault: Vault; url: string };

/** What every form of a report is made from, and where it is to be found. Null: the report or its team is gone. */
export const openReport = async (
  { database, vault, url }: OpenReportDependencies,
  teamId: string,
  week: string,
): Promise<{ view: ReportView; link: string } | null> => {
  const report = await getReport(database, teamId, week);
  const team = await getTeam(database, teamId);
  if (!report || !team) return null;
  return {
    view: { ...report, team: team.name, figures: await openFigures(vault, report) },
    link: `${url}/api/reports/${week}`,
  };
};
