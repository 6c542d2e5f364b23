import { Discard, defineJob } from '../../jobs/index.ts';
import { type Transaction, Type } from '../../platform/index.ts';
import { getTeam } from '../../teams/index.ts';
import type { ReportsContext } from '../context.ts';
import { getReport } from '../figures/report-store.ts';
import { dueAt } from '../week/due-weeks.ts';
import { parseWeek, type WeekId } from '../week/week.ts';
import { makeReportOnce } from './make-report-once.ts';

/** The week comes from the payload, never from the time when the job runs. */
export const makeReportJob = defineJob({
  name: 'make-report',
  payload: Type.Object({
    teamId: Type.String(),
    week: Type.String(),
    /** Set if a process was already making the report. The job makes it only if that process ended too early. */
    onlyMissing: Type.Optional(Type.Boolean()),
    /** Set for scheduled reports. The job skips a report that isn't due, because the schedule may have changed. */
    onlyDue: Type.Optional(Type.Boolean()),
  }),
  timeoutMs: 5 * 60_000,
  concurrency: 2,
});

/** How long a job with `onlyMissing` waits. By then, even a slow report is made, unless its process has ended. */
const LATE_MS = 10 * 60_000;

type Wanted = { teamId: string; week: WeekId };

export const enqueueReport = async ({ jobs }: ReportsContext, tx: Transaction, { teamId, week }: Wanted) =>
  jobs.enqueue(tx, makeReportJob, { teamId, week }, { key: `${teamId} ${week}` });

/** Enqueues a scheduled report. */
export const enqueueReportIfDue = async ({ jobs }: ReportsContext, tx: Transaction, { teamId, week }: Wanted) =>
  jobs.enqueue(tx, makeReportJob, { teamId, week, onlyDue: true }, { key: `${teamId} ${week} due` });

/** Enqueues a report that this process is already making. The job makes it only if the process ends too early. */
export const enqueueReportLater = async ({ jobs }: ReportsContext, tx: Transaction, { teamId, week }: Wanted) =>
  jobs.enqueue(
    tx,
    makeReportJob,
    { teamId, week, onlyMissing: true },
    { key: `${teamId} ${week} late`, delayMs: LATE_MS },
  );

export const handleMakeReport = async (
  context: ReportsContext,
  { teamId, week, onlyMissing, onlyDue }: Wanted & { onlyMissing?: boolean; onlyDue?: boolean },
): Promise<void> => {
  const { database, clock } = context;
  const team = await getTeam(database, teamId);
  if (!team || parseWeek(week) === null) throw new Discard('The team or week does not exist.');
  const isKnown = async (): Promise<boolean> => (await getReport(database, teamId, week)) !== undefined;
  if (onlyMissing && (await isKnown())) return;
  if (onlyDue && dueAt(week, team) > clock.now() && !(await isKnown())) return;
  await makeReportOnce(context, team, week);
};
