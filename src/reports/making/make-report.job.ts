import { Discard, defineJob } from '../../jobs/index.ts';
import { type Transaction, Type } from '../../platform/index.ts';
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

/** By then even a slow report is made, or the process making it is gone. */
const LATE_MS = 10 * 60_000;

type Wanted = { teamId: string; week: WeekId };

export const enqueueReport = async ({ jobs }: ReportsContext, tx: Transaction, { teamId, week }: Wanted) =>
  jobs.enqueue(tx, makeReportJob, { teamId, week }, { key: `${teamId} ${week}` });

/** For a report that this process is making, in case it ends before that. */
export const enqueueReportLater = async ({ jobs }: ReportsContext, tx: Transaction, { teamId, week }: Wanted) =>
  jobs.enqueue(
    tx,
    makeReportJob,
    { teamId, week, onlyMissing: true },
    { key: `${teamId} ${week} late`, delayMs: LATE_MS },
  );

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
