import { Discard } from '../../jobs/index.ts';
import type { Database } from '../../platform/index.ts';
import { getTeam } from '../../teams/index.ts';
import type { Vault } from '../../vault/index.ts';
import type { ReportView } from './compare.ts';
import { openNamedFigures } from './name-waiting.ts';
import { getReport } from './report-store.ts';

export type OpenReportDependencies = { database: Database; vault: Vault; url: string };

/** What is sent of a report is made from this, in every form, and leads to the same place. */
export const openReport = async (
  dependencies: OpenReportDependencies,
  { teamId, week }: { teamId: string; week: string },
): Promise<{ view: ReportView; link: string }> => {
  const { database, url } = dependencies;
  const report = await getReport(database, teamId, week);
  const team = await getTeam(database, teamId);
  if (!report || !team) throw new Discard('The report or its team no longer exists.');
  const view = { ...report, team: team.name, figures: await openNamedFigures(dependencies, report) };
  return { view, link: `${url}/reports/${week}` };
};
