import type { Static } from 'typebox';
import { Type, within } from '../../platform/index.ts';
import { countTeamsAfter, type Team } from '../../teams/index.ts';
import type { ReportsContext } from '../context.ts';
import { weekUnfinished } from '../errors.ts';
import { getReport, insertRun, type RunAskedBy } from '../figures/report-store.ts';
import { countDispatches } from '../ledger/dispatch-store.ts';
import { predatesTeam } from '../week/due-weeks.ts';
import { spanOf, type WeekId } from '../week/week.ts';
import { eachPageOfTeams } from './each-page-of-teams.ts';
import { type DueWeek, listDueWeeks } from './list-due-weeks.ts';
import { enqueueReport, enqueueReportLater } from './make-report.job.ts';
import { makeReportOnce } from './make-report-once.ts';
import { enqueueRest, isForJob } from './queue-reports.job.ts';

/** Which reports to make: for all teams if `team` isn't set, and for all due weeks if `week` isn't set. */
type RunWish = {
  week?: WeekId | null;
  team?: string | null;
  dryRun?: boolean;
  askedBy: RunAskedBy;
  /** How long the caller waits. */
  patienceMs?: number;
};

export const PredatesTeam = Type.Boolean({
  description: 'The week ended before the team was created, so the report is sent to no one',
});

export const RunRow = Type.Object(
  {
    team: Type.String(),
    week: Type.String(),
    state: Type.Enum(['created', 'existing', 'queued', 'failed']),
    reportId: Type.Union([Type.String(), Type.Null()]),
    deliveries: Type.Integer({ description: 'How many recipients it was sent to or is on its way to' }),
    predatesTeam: PredatesTeam,
  },
  { title: 'ReportRunRow' },
);
type RunRow = Static<typeof RunRow>;
type State = RunRow['state'];

/** How many reports the caller waits for. The rest become jobs, and the response says so. */
const MADE_AT_ONCE = 20;
const PATIENCE_MS = 6_000;
/** How long a run goes on counting missing reports, for the response, after the time to make them is over. */
const COUNTING_MS = 2_000;
const MOST_ROWS = 100;

const NO_WEEK_YET =
  "No report is due, because no team's first week is over. A team's first report covers the week in which it was created. To report on an earlier week, name it.";

type Budget = { made: number; endsAt: number };

const isUsedUp = ({ made, endsAt }: Budget): boolean => made >= MADE_AT_ONCE || performance.now() >= endsAt;

const isDoneBy = async (endsAt: number, work: Promise<unknown>): Promise<boolean> =>
  (await within(Math.max(0, endsAt - performance.now()), Promise.allSettled([work]))) !== null;

const makeOne = async (
  context: ReportsContext,
  team: Team,
  { week, isKnown }: DueWeek,
  { askedBy }: RunWish,
  budget: Budget,
): Promise<State> => {
  const { database, log } = context;
  const wanted = { teamId: team.id, week };
  const giveToJob = async (err: unknown): Promise<void> => {
    log.error({ err, team: team.id, week }, 'a report could not be made and will be retried');
    await database.transaction((tx) => enqueueReport(context, tx, wanted)).catch(() => undefined);
  };
  budget.made++;
  try {
    const making = makeReportOnce(context, team, week);
    // A command waits until the report is made, because its process ends with the command.
    if (askedBy === 'command_line' || (await isDoneBy(budget.endsAt, making))) return (await making).state;
    making.catch(giveToJob);
    if (isKnown) return 'existing';
    await database.transaction((tx) => enqueueReportLater(context, tx, wanted));
    return 'queued';
  } catch (err) {
    await giveToJob(err);
    return 'failed';
  }
};

const toRow = async ({ database }: ReportsContext, team: Team, week: WeekId, state: State): Promise<RunRow> => {
  const isMade = state === 'created' || state === 'existing';
  const report = isMade ? await getReport(database, team.id, week) : undefined;
  return {
    ...{ team: team.id, week, state, reportId: report?.id ?? null },
    deliveries: report ? await countDispatches(database, team.id, week) : 0,
    predatesTeam: predatesTeam(report ?? spanOf(week, team.timeZone), team),
  };
};

/** Makes missing reports. Calling this again, even at the same time, has no further effect. */
export const runReports = async (context: ReportsContext, wish: RunWish) => {
  const { database, clock, newId } = context;
  const { team: onlyTeam = null, week: onlyWeek = null, dryRun = false, askedBy } = wish;
  if (!dryRun) await context.pause.check();
  const begun = performance.now();
  const runId = newId();
  const begunAt = clock.now();
  const counts = { created: 0, existing: 0, queued: 0, failed: 0, remaining: 0 };
  const reports: RunRow[] = [];
  const budget: Budget = { made: 0, endsAt: begun + (wish.patienceMs ?? PATIENCE_MS) };
  let reached = '';
  /** Jobs continue with the team after this one. Null if no jobs are needed. */
  let jobsAfter: string | null = null;

  const stateOf = async (team: Team, due: DueWeek): Promise<State> => {
    if (dryRun) return due.isKnown ? 'existing' : 'created';
    if (!isUsedUp(budget)) return makeOne(context, team, due, wish, budget);
    if (isForJob(due, askedBy)) jobsAfter ??= reached;
    return due.isKnown ? 'existing' : 'queued';
  };

  for await (const teams of eachPageOfTeams(context, { team: onlyTeam, after: '' })) {
    if (onlyTeam === null && performance.now() >= budget.endsAt + COUNTING_MS) {
      jobsAfter ??= reached;
      counts.remaining = await countTeamsAfter(database, reached);
      break;
    }
    for (const { team, weeks, failed } of await listDueWeeks(context, teams, wish)) {
      if (failed) counts.failed++;
      for (const due of weeks) {
        const state = await stateOf(team, due);
        counts[state]++;
        if (reports.length < MOST_ROWS) reports.push(await toRow(context, team, due.week, state));
      }
      reached = team.id;
    }
  }
  const hasNothing = reports.length === 0 && counts.failed + counts.remaining === 0;
  if (onlyWeek !== null && hasNothing) throw weekUnfinished();
  if (!dryRun)
    await database.transaction(async (tx) => {
      if (jobsAfter !== null)
        await enqueueRest(context, tx, { after: jobsAfter, team: onlyTeam, week: onlyWeek, askedBy });
      await insertRun(tx, runId, askedBy, begunAt);
    });
  const message = hasNothing ? NO_WEEK_YET : null;
  return { runId, ...counts, message, reports, tookMs: Math.round(performance.now() - begun) };
};

export type Run = Awaited<ReturnType<typeof runReports>>;
