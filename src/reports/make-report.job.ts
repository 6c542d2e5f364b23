import { Type } from 'typebox';
import { Discard, defineJob } from '../jobs/index.ts';
import { getTeam } from '../teams/index.ts';
import { type MakeReportDependencies, makeReport } from './make-report.ts';
import { parseWeek } from './week.ts';

/** The week is in the payload, and never what it is when the job runs. */
export const makeReportJob = defineJob({
  name: 'make-report',
  payload: Type.Object({ teamId: Type.String(), week: Type.String() }),
  timeoutMs: 5 * 60_000,
  concurrency: 2,
});

export const handleMakeReport =
  (dependencies: MakeReportDependencies) =>
  async ({ teamId, week }: { teamId: string; week: string }): Promise<void> => {
    const team = await getTeam(dependencies.database, teamId);
    if (!team || parseWeek(week) === null) throw new Discard('There is no such team or week.');
    await makeReport(dependencies, team, week);
  };
