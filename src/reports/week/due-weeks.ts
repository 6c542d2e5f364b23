import { DAYS, type Team } from '../../teams/index.ts';
import { firstInstantOf } from './wall-clock.ts';
import { daysOf, lastFinishedWeek, shiftWeek, type WeekId, type WeekSpan, weekAt } from './week.ts';

/** How many weeks before the last finished week get a report. After a longer outage, older weeks get none. */
const MOST_EARLIER = 8;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

type Reporting = Pick<Team, 'createdAt' | 'timeZone'>;
type Scheduled = Pick<Team, 'timeZone' | 'reportSchedule'>;

/** When the service makes a week's report on its own: in the following week, on the team's day and hour. */
export const dueAt = (week: WeekId, { timeZone, reportSchedule: { day, hour } }: Scheduled): number => {
  const monday = Date.parse(daysOf(shiftWeek(week, 1)).first);
  return firstInstantOf(monday + DAYS.indexOf(day) * DAY_MS + hour * HOUR_MS, timeZone);
};

/**
 * Whether a week ended before the team was created. Such a week gets a report only on request, and the report isn't
 * sent.
 */
export const predatesTeam = ({ endsAt }: Pick<WeekSpan, 'endsAt'>, { createdAt }: Pick<Reporting, 'createdAt'>) =>
  endsAt <= createdAt;

/** The last full week and earlier ones since the team was created, newest first. Empty for a team created this week. */
export const listFinishedWeeks = ({ createdAt, timeZone }: Reporting, now: number): WeekId[] => {
  const first = weekAt(createdAt, timeZone);
  const weeks: WeekId[] = [];
  let week = lastFinishedWeek(now, timeZone);
  for (; week >= first && weeks.length <= MOST_EARLIER; week = shiftWeek(week, -1)) weeks.push(week);
  return weeks;
};

/**
 * `last`: when last week's report is due. Null if the team was created after that week. `isLate`: that report is due,
 * but doesn't exist yet.
 */
export type ReportsDue = { last: number | null; isLate: boolean; next: number };

/**
 * When the service makes last week's report, possibly in the future, and when it makes the next report that doesn't
 * exist yet. `newest` may be ahead of the schedule, because a person can request a report early.
 */
export const findReportsDue = (team: Reporting & Scheduled, now: number, newest: WeekId | null): ReportsDue => {
  const { createdAt, timeZone } = team;
  const first = weekAt(createdAt, timeZone);
  const lastWeek = lastFinishedWeek(now, timeZone);
  const isMade = (week: WeekId): boolean => newest !== null && week <= newest;
  let next = lastWeek < first ? first : lastWeek;
  while (dueAt(next, team) <= now || isMade(next)) next = shiftWeek(next, 1);
  const last = lastWeek < first ? null : dueAt(lastWeek, team);
  return { last, isLate: last !== null && last <= now && !isMade(lastWeek), next: dueAt(next, team) };
};

/**
 * Why a week has no report. `due`: the report is due, or soon will be. `long_ago`: the week is too old for the service
 * to make its report, so someone has to request it.
 */
type MissingReport = 'ahead' | 'before_team' | 'due' | 'long_ago';

export const whyMissing = (team: Reporting, week: WeekId, now: number): MissingReport => {
  if (week >= weekAt(now, team.timeZone)) return 'ahead';
  if (week < weekAt(team.createdAt, team.timeZone)) return 'before_team';
  return listFinishedWeeks(team, now).includes(week) ? 'due' : 'long_ago';
};
