import type { Static } from 'typebox';
import { Type, within } from '../../platform/index.ts';
import { getTeam, listTeamsAfter, type Team } from '../../teams/index.ts';
import { teamUnknown, weekUnfinished } from '../errors.ts';
import { getReport, insertRun, listReportedWeeks, type RunAskedBy } from '../figures/report-store.ts';
import { countDispatches } from '../ledger/dispatch-store.ts';
import type { ReportsContext } from '../week/context.ts';
import { listFinishedWeeks, MORNING_MS } from '../week/due-weeks.ts';
import { spanOf, type WeekId } from '../week/week.ts';
import { makeReportJob } from './make-report.job.ts';
import { makeReportOnce } from './make-report-once.ts';

/** Without a team, every team; without a week, every one that is missing. */
export type RunWish = {
  week?: WeekId | null;
  team?: string | null;
  dryRun?: boolean;
  askedBy: RunAskedBy;
  /** How long the caller waits. */
  patienceMs?: number;
};

export const RunRow = Type.Object({
  team: Type.String(),
  week: Type.String(),
  state: Type.Enum(['created', 'existing', 'queued', 'failed']),
  reportId: Type.Union([Type.String(), Type.Null()]),
  deliveries: Type.Integer({ description: 'How many recipients it was sent to or is on its way to' }),
});
type RunRow = Static<typeof RunRow>;

/** How many the caller waits for. The rest become jobs, and the response says so. */
const MADE_AT_ONCE = 20;
const PATIENCE_MS = 8_000;
/** By then even a slow report is made, or the process making it is gone. */
const LATE_MS = 10 * 60_000;
const TEAMS_PAGE = 200;
const MOST_ROWS = 100;
const CHECK_EVERY_MS = 24 * 3_600_000;

const eachTeam = async function* ({ database }: ReportsContext, id: string | null): AsyncGenerator<Team> {
  if (id !== null) {
    const team = await getTeam(database, id);
    if (!team) throw teamUnknown();
    yield team;
    return;
  }
  for (let page = await listTeamsAfter(database, '', TEAMS_PAGE); page.length > 0; ) {
    yield* page;
    page = await listTeamsAfter(database, page.at(-1)?.id ?? '', TEAMS_PAGE);
  }
};

/** Once a day, the service checks the last report for late data. */
const isToCheck = async ({ database, clock }: ReportsContext, team: Team, week: WeekId): Promise<boolean> => {
  const report = await getReport(database, team.id, week);
  return report !== undefined && clock.now() - report.checkedAt >= CHECK_EVERY_MS;
};

/** The weeks a team is still missing, oldest first, and always the last one, so that its state is reported. */
const listWeeks = async (context: ReportsContext, team: Team, { week, askedBy }: RunWish): Promise<WeekId[]> => {
  const now = context.clock.now();
  if (week) return spanOf(week, team.timeZone).endsAt <= now ? [week] : [];
  const finished = listFinishedWeeks(team, now);
  const [last = ''] = finished;
  const known = await listReportedWeeks(context.database, team.id, finished.at(-1) ?? '');
  const missing = finished.filter((one) => one === last || !known.has(one)).reverse();
  if (askedBy !== 'service') return missing;
  const due = missing.filter((one) => !known.has(one) && spanOf(one, team.timeZone).endsAt + MORNING_MS <= now);
  return (await isToCheck(context, team, last)) ? [...due, last] : due;
};

/** `isLate` is in case this process ends before the report is made. */
const queue = async ({ database, jobs }: ReportsContext, teamId: string, week: WeekId, isLate = false) => {
  const key = `${teamId} ${week}`;
  await database.transaction((tx) =>
    isLate
      ? jobs.enqueue(tx, makeReportJob, { teamId, week, onlyMissing: true }, { key: `${key} late`, delayMs: LATE_MS })
      : jobs.enqueue(tx, makeReportJob, { teamId, week }, { key }),
  );
};

type Budget = { made: number; endsAt: number };

const isDoneBy = async (endsAt: number, work: Promise<unknown>): Promise<boolean> =>
  (await within(Math.max(0, endsAt - performance.now()), Promise.allSettled([work]))) !== null;

const makeOne = async (
  context: ReportsContext,
  team: Team,
  week: WeekId,
  { dryRun, askedBy }: RunWish,
  budget: Budget,
): Promise<RunRow> => {
  const { database, log } = context;
  const row = { team: team.id, week, deliveries: 0 };
  const known = await getReport(database, team.id, week);
  if (dryRun) return { ...row, state: known ? 'existing' : 'created', reportId: known?.id ?? null };
  const giveToJob = async (err: unknown): Promise<void> => {
    log.error({ err, team: team.id, week }, 'a report could not be made and will be retried');
    await queue(context, team.id, week).catch(() => undefined);
  };
  const isUsedUp = budget.made >= MADE_AT_ONCE || performance.now() >= budget.endsAt;
  try {
    // An existing report waits for its next check, which the service does on its own.
    if (known && isUsedUp) return { ...row, state: 'existing', reportId: known.id };
    if (isUsedUp) {
      await queue(context, team.id, week);
      return { ...row, state: 'queued', reportId: null };
    }
    budget.made++;
    const making = makeReportOnce(context, team, week);
    // If a command ended, the work would end with it.
    if (askedBy !== 'command_line' && !(await isDoneBy(budget.endsAt, making))) {
      making.catch(giveToJob);
      if (known) return { ...row, state: 'existing', reportId: known.id };
      await queue(context, team.id, week, true);
      return { ...row, state: 'queued', reportId: null };
    }
    const made = await making;
    return { ...row, ...made, deliveries: await countDispatches(database, team.id, week) };
  } catch (err) {
    await giveToJob(err);
    return { ...row, state: 'failed', reportId: null };
  }
};

/** Makes what is missing. Calling it again, even at the same time, changes nothing more. */
export const runReports = async (context: ReportsContext, wish: RunWish) => {
  const { database, clock, newId } = context;
  const begun = performance.now();
  const runId = newId();
  const begunAt = clock.now();
  const counts = { created: 0, existing: 0, queued: 0, failed: 0 };
  const reports: RunRow[] = [];
  const budget: Budget = { made: 0, endsAt: begun + (wish.patienceMs ?? PATIENCE_MS) };
  for await (const team of eachTeam(context, wish.team ?? null))
    for (const week of await listWeeks(context, team, wish)) {
      const row = await makeOne(context, team, week, wish, budget);
      counts[row.state]++;
      if (reports.length < MOST_ROWS) reports.push(row);
    }
  if (wish.week && reports.length === 0) throw weekUnfinished();
  if (!wish.dryRun) await insertRun(database, runId, wish.askedBy, begunAt);
  return { runId, ...counts, reports, tookMs: Math.round(performance.now() - begun) };
};

export type Run = Awaited<ReturnType<typeof runReports>>;
