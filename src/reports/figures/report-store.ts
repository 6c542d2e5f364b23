import { deleteInPieces, type Queries } from '../../platform/index.ts';

/** A report as it is stored, with sealed figures. */
export type ReportRow = {
  id: string;
  teamId: string;
  week: string;
  revision: number;
  timeZone: string;
  /** The business hours that the report was counted with, as JSON. */
  businessHours: string;
  startsAt: number;
  endsAt: number;
  asOf: number;
  figures: string;
  contentHash: string;
  createdAt: number;
  /** When we last checked for late data. */
  checkedAt: number;
};

const SELECTED = `id, team_id as "teamId", week, revision, time_zone as "timeZone", business_hours as "businessHours",
  starts_at as "startsAt", ends_at as "endsAt", as_of as "asOf", figures, content_hash as "contentHash",
  created_at as "createdAt", checked_at as "checkedAt"`;

/** Inserts a report, unless this revision exists already. Returns 0 if another process was faster. */
export const insertReport = (queries: Queries, report: ReportRow): Promise<number> => {
  const { id, teamId, week, revision, timeZone, businessHours, startsAt, endsAt, asOf, ...rest } = report;
  const { figures, contentHash, createdAt, checkedAt } = rest;
  return queries.run(
    `insert into reports (id, team_id, week, revision, time_zone, business_hours, starts_at, ends_at, as_of, figures,
      content_hash, created_at, checked_at)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) on conflict do nothing`,
    [
      ...[id, teamId, week, revision, timeZone, businessHours, startsAt, endsAt, asOf],
      ...[figures, contentHash, createdAt, checkedAt],
    ],
  );
};

/** The newest revision of a week's report. */
export const getReport = (queries: Queries, teamId: string, week: string): Promise<ReportRow | undefined> =>
  queries.get<ReportRow>(
    `select ${SELECTED} from reports where team_id = $1 and week = $2 order by revision desc limit 1`,
    [teamId, week],
  );

export const markReportChecked = (queries: Queries, teamId: string, id: string, now: number): Promise<number> =>
  queries.run('update reports set checked_at = $3 where team_id = $1 and id = $2', [teamId, id, now]);

/** Sorts after every week. */
const NO_END = '9';

/** The newest revision of each week before `before`, newest first. */
export const listReportRows = (
  queries: Queries,
  teamId: string,
  limit: number,
  before: string = NO_END,
): Promise<ReportRow[]> =>
  queries.all<ReportRow>(
    `select ${SELECTED} from reports r where team_id = $1 and week < $3
      and revision = (select max(revision) from reports where team_id = $1 and week = r.week)
      order by week desc limit $2`,
    [teamId, limit, before],
  );

export const getNewestWeek = async (queries: Queries, teamId: string): Promise<string | null> =>
  (await queries.get<{ week: string | null }>('select max(week) as week from reports where team_id = $1', [teamId]))
    ?.week ?? null;

export type WeeksAround = { previous: string | null; next: string | null };

/** The nearest weeks that have a report. */
export const getWeeksAround = async (queries: Queries, teamId: string, week: string): Promise<WeeksAround> => {
  const around = await queries.get<WeeksAround>(
    `select (select max(week) from reports where team_id = $1 and week < $2) as previous,
      (select min(week) from reports where team_id = $1 and week > $2) as next`,
    [teamId, week],
  );
  return around ?? { previous: null, next: null };
};

/** A range of IDs or weeks, both ends included. */
export type Span = { first: string; last: string };
export type TeamWeek = { teamId: string; week: string };

/** For work that covers all teams: the weeks that have a report, in a range of teams and weeks. */
export const listReportedWeeks = (queries: Queries, teams: Span, weeks: Span): Promise<TeamWeek[]> =>
  queries.all<TeamWeek>(
    `select distinct team_id as "teamId", week from reports
      where team_id >= $1 and team_id <= $2 and week >= $3 and week <= $4`,
    [teams.first, teams.last, weeks.first, weeks.last],
  );

/** The weeks whose report was last checked for late data before this time, in a range of teams and weeks. */
export const listUncheckedWeeks = (queries: Queries, teams: Span, weeks: Span, before: number): Promise<TeamWeek[]> =>
  queries.all<TeamWeek>(
    `select team_id as "teamId", week from reports
      where team_id >= $1 and team_id <= $2 and week >= $3 and week <= $4
      group by team_id, week having max(checked_at) <= $5`,
    [teams.first, teams.last, weeks.first, weeks.last, before],
  );

export type RunAskedBy = 'cron' | 'service' | 'command_line' | 'person';

export const insertRun = (queries: Queries, id: string, askedBy: RunAskedBy, now: number): Promise<number> =>
  queries.run('insert into report_runs (id, begun_at, asked_by) values ($1, $2, $3)', [id, now, askedBy]);

export const getLastRunAt = async (queries: Queries): Promise<number | null> =>
  (await queries.get<{ at: number | null }>('select max(begun_at) as at from report_runs'))?.at ?? null;

export const deleteRunsBefore = (queries: Queries, before: number): Promise<number> =>
  queries.run('delete from report_runs where begun_at < $1', [before]);

export const deleteReportsOfTeam = (queries: Queries, teamId: string, pace: () => Promise<void>): Promise<number> =>
  deleteInPieces(queries, { from: 'reports', key: 'id', where: 'team_id = $1' }, [teamId], pace);
