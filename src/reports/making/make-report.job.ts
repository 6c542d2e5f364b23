import { Discard, defineJob } from '../../jobs/index.ts';
import { Type } from '../../platform/index.ts';
import { getTeam } from '../../teams/index.ts';
import { getReport } from '../figures/report-store.ts';
import type { ReportsContext } from '../week/context.ts';
import { parseWeek, type WeekId } from '../week/week.ts';
import { makeReportOnce } from './make-report-once.ts';

/** The week comes from the payload, never from the time when the job runs. */
export const makeReportJob = defineJob({
  name: 'make-report',
  payload: Type.Object({
    teamId: Type.String(),
    week: Type.String(),
    /** The process that was making it may have ended. */
    onlyMissing: Type.Optional(Type.Boolean()),
  }),
  timeoutMs: 5 * 60_000,
  concurrency: 2,
});

export const handleMakeReport = async (
  context: ReportsContext,
  { teamId, week, onlyMissing }: { teamId: string; week: WeekId; onlyMissing?: boolean },
): Promise<void> => {
  const { database } = context;
  const team = await getTeam(database, teamId);
  if (!team || parseWeek(week) === null) throw new Discard('The team or week does not exist.');
  if (onlyMissing && (await getReport(database, teamId, week))) return;
  await makeReportOnce(context, team, week);
};
