import type { Static } from 'typebox';
import { defineJob } from '../../jobs/index.ts';
import { type Transaction, Type } from '../../platform/index.ts';
import type { ReportsContext } from '../context.ts';
import { eachPageOfTeams } from './each-page-of-teams.ts';
import { type DueWeek, listDueWeeks } from './list-due-weeks.ts';
import { enqueueReport, enqueueReportIfDue } from './make-report.job.ts';

const OrNull = Type.Union([Type.String(), Type.Null()]);

/** The rest of a run: the teams whose ID is higher than `after`, or only `team`. */
const Rest = Type.Object({
  after: Type.String(),
  team: OrNull,
  week: OrNull,
  askedBy: Type.Enum(['cron', 'service', 'command_line', 'person']),
});
type Rest = Static<typeof Rest>;

/** Continues a run where it stopped, so that the response to the run doesn't have to wait for all teams. */
export const queueReportsJob = defineJob({ name: 'queue-reports', payload: Rest, concurrency: 1 });

/** Whether a job handles this week. Jobs check existing reports for late data only if the service started the run. */
export const isForJob = ({ isKnown }: DueWeek, askedBy: Rest['askedBy']): boolean => !isKnown || askedBy === 'service';

export const enqueueRest = async ({ jobs }: ReportsContext, tx: Transaction, rest: Rest): Promise<void> => {
  const { after, team, week, askedBy } = rest;
  await jobs.enqueue(tx, queueReportsJob, rest, { key: JSON.stringify([after, team, week, askedBy]) });
};

export const handleQueueReports = async (context: ReportsContext, rest: Rest): Promise<void> => {
  const { value: teams } = await eachPageOfTeams(context, rest).next();
  const last = teams?.at(-1);
  if (!teams || !last) return;
  const page = await listDueWeeks(context, teams, rest);
  const enqueue = rest.askedBy === 'service' ? enqueueReportIfDue : enqueueReport;
  await context.database.transaction(async (tx) => {
    for (const { team, weeks } of page)
      for (const due of weeks)
        if (isForJob(due, rest.askedBy)) await enqueue(context, tx, { teamId: team.id, week: due.week });
    if (rest.team === null) await enqueueRest(context, tx, { ...rest, after: last.id });
  });
};
