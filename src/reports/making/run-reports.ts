import { setTimeout as sleep } from 'node:timers/promises';
import type { Database, Log } from '../../platform/index.ts';
import { getTeam, listTeamsAfter, type Team } from '../../teams/index.ts';
import { teamUnknown, weekUnfinished } from '../errors.ts';
import { getReport, insertRun, listReportedWeeks, type RunAskedBy } from '../figures/report-store.ts';
import { countReportDeliveries } from '../ledger/report-delivery-store.ts';
import { isFinished, listFinishedWeeks, MORNING_MS } from '../week/due-weeks.ts';
import { spanOf, type WeekId } from '../week/week.ts';
import { makeReportJob } from './make-report.job.ts';
import type { MakeReportDependencies } from './make-report.ts';
import type { MakeReportOnce } from './make-report-once.ts';

export type RunDependencies = MakeReportDependencies & {
  log: Log;
  makeReportOnce: MakeReportOnce;
  /** How long the caller waits. */
  patienceMs?: number;
};

export type RunWish = { week: WeekId | null; team: string | null; dryRun: boolean; askedBy: RunAskedBy };

export type RunRow = {
  team: string;
  week: WeekId;
  state: 'created' | 'existing' | 'queued' | 'failed';
  reportId: string | null;
  deliveries: number;
};

/** How many the caller waits for. The rest become jobs, and the response says so. */
const MADE_AT_ONCE = 20;
const PATIENCE_MS = 8_000;
/** By then even a slow report is made, or the process making it is gone. */
const LATE_MS = 10 * 60_000;
const TEAMS_PAGE = 200;
const MOST_ROWS = 100;
const CHECK_EVERY_MS = 24 * 3_600_000;

const eachTeam = async function* ({ database }: RunDependencies, wish: RunWish): AsyncGenerator<Team> {
  if (wish.team !== null) {
    const team = await getTeam(database, wish.team);
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
const listToCheck = async (
  database: Database,
  team: Team,
  week: WeekId | undefined,
  now: number,
): Promise<WeekId[]> => {
  const report = week === undefined ? undefined : await getReport(database, team.id, week);
  return report && now - (report.checkedAt ?? report.createdAt) >= CHECK_EVERY_MS ? [report.week] : [];
};

/** The weeks a team still lacks, oldest first, and always the last one, so that its state is reported. */
const listWeeks = async ({ database, clock }: RunDependencies, team: Team, wish: RunWish): Promise<WeekId[]> => {
  const now = clock.now();
  if (wish.week !== null) return isFinished(wish.week, team.timeZone, now) ? [wish.week] : [];
  const finished = listFinishedWeeks(team, now);
  const known = await listReportedWeeks(database, team.id, finished.at(-1) ?? '');
  const missing = finished.filter((week, index) => index === 0 || !known.has(week)).reverse();
  if (wish.askedBy !== 'service') return missing;
  const due = missing.filter((week) => !known.has(week) && spanOf(week, team.timeZone).endsAt + MORNING_MS <= now);
  return [...due, ...(await listToCheck(database, team, finished[0], now))];
};

const queue = async ({ database, jobs }: RunDependencies, teamId: string, week: WeekId): Promise<void> => {
  await database.transaction((tx) => jobs.enqueue(tx, makeReportJob, { teamId, week }, { key: `${teamId} ${week}` }));
};

/** In case this process ends before the report is made. */
const queueLate = async ({ database, jobs }: RunDependencies, teamId: string, week: WeekId): Promise<void> => {
  const options = { key: `${teamId} ${week} late`, delayMs: LATE_MS };
  await database.transaction((tx) => jobs.enqueue(tx, makeReportJob, { teamId, week, onlyMissing: true }, options));
};

type Budget = { made: number; endsAt: number };

const isDoneBy = (endsAt: number, work: Promise<unknown>): Promise<boolean> => {
  const done = new AbortController();
  const late = sleep(Math.max(0, endsAt - performance.now()), false, { ref: false, signal: done.signal });
  const settled = Promise.allSettled([work]).then(() => {
    done.abort();
    return true;
  });
  return Promise.race([settled, late.catch(() => true)]);
};

const makeOne = async (
  dependencies: RunDependencies,
  team: Team,
  week: WeekId,
  { dryRun, askedBy }: RunWish,
  budget: Budget,
): Promise<RunRow> => {
  const { database, log } = dependencies;
  const row = { team: team.id, week, deliveries: 0 };
  const known = await getReport(database, team.id, week);
  if (dryRun) return { ...row, state: known ? 'existing' : 'created', reportId: known?.id ?? null };
  const giveToJob = async (err: unknown): Promise<void> => {
    log.error({ err, team: team.id, week }, 'a report could not be made and will be retried');
    await queue(dependencies, team.id, week).catch(() => undefined);
  };
  try {
    const isUsedUp = budget.made >= MADE_AT_ONCE || performance.now() >= budget.endsAt;
    // An existing report waits for its next check, which the service does on its own.
    if (known && isUsedUp) return { ...row, state: 'existing', reportId: known.id };
    if (isUsedUp) {
      await queue(dependencies, team.id, week);
      return { ...row, state: 'queued', reportId: null };
    }
    budget.made++;
    const making = dependencies.makeReportOnce(team, week);
    // A command that ended would end the work with it.
    if (askedBy !== 'command_line' && !(await isDoneBy(budget.endsAt, making))) {
      making.catch(giveToJob);
      if (known) return { ...row, state: 'existing', reportId: known.id };
      await queueLate(dependencies, team.id, week);
      return { ...row, state: 'queued', reportId: null };
    }
    const made = await making;
    return { ...row, ...made, deliveries: await countReportDeliveries(database, team.id, week) };
  } catch (err) {
    await giveToJob(err);
    return { ...row, state: 'failed', reportId: null };
  }
};

/** Makes what is missing. Calling it again, even at the same time, changes nothing more. */
export const runReports = async (dependencies: RunDependencies, wish: RunWish) => {
  const { database, clock, newId, patienceMs = PATIENCE_MS } = dependencies;
  const begun = performance.now();
  const runId = newId();
  const begunAt = clock.now();
  const counts = { created: 0, existing: 0, queued: 0, failed: 0 };
  const reports: RunRow[] = [];
  const budget: Budget = { made: 0, endsAt: begun + patienceMs };
  for await (const team of eachTeam(dependencies, wish))
    for (const week of await listWeeks(dependencies, team, wish)) {
      const row = await makeOne(dependencies, team, week, wish, budget);
      counts[row.state]++;
      if (reports.length < MOST_ROWS) reports.push(row);
    }
  if (wish.week !== null && reports.length === 0) throw weekUnfinished();
  if (!wish.dryRun) await insertRun(database, runId, wish.askedBy, begunAt);
  return { runId, ...counts, reports, tookMs: Math.round(performance.now() - begun) };
};

export type Run = Awaited<ReturnType<typeof runReports>>;
