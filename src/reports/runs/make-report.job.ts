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
    /** Only makes the report if it is missing, because the process that was making it may have ended. */
    onlyMissing: Type.Optional(Type.Boolean()),
    /**
     * Only makes the report if it is due, because nobody asked for it, and the team may have moved its schedule to
     * later.
     */
    onlyDue: Type.Optional(Type.Boolean()),
  }),
  timeoutMs: 5 * 60_000,
  concurrency: 2,
});

/** Long enough that even a slow report is done by then, unless its process has ended. */
const LATE_MS = 10 * 60_000;

type Wanted = { teamId: string; week: WeekId };

export const enqueueReport = async ({ jobs }: ReportsContext, tx: Transaction, { teamId, week }: Wanted) =>
  jobs.enqueue(tx, makeReportJob, { teamId, week }, { key: `${teamId} ${week}` });

/** Enqueues a report that is made because its time has come. */
export const enqueueReportIfDue = async ({ jobs }: ReportsContext, tx: Transaction, { teamId, week }: Wanted) =>
  jobs.enqueue(tx, makeReportJob, { teamId, week, onlyDue: true }, { key: `${teamId} ${week} due` });

/** Enqueues a report that this process is already making, in case the process ends first. */
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
