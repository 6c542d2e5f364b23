import { lastFinishedWeek, shiftWeek, spanOf, type WeekId, type WeekSpan, weekAt } from './week.ts';

/** After a longer gap, only the newest weeks are made. */
const MOST_EARLIER = 8;

/** The service makes reports on Monday morning, when the night's late data is in. */
export const MORNING_MS = 8 * 3_600_000;

type Reporting = { createdAt: number; timeZone: string };

/** Such a week is reported only if someone asks for it by name, and the report is sent to nobody. */
export const predatesTeam = ({ endsAt }: Pick<WeekSpan, 'endsAt'>, { createdAt }: Pick<Reporting, 'createdAt'>) =>
  endsAt <= createdAt;

/** The last full week and the earlier ones since the team was created, newest first. A new team has none. */
export const listFinishedWeeks = ({ createdAt, timeZone }: Reporting, now: number): WeekId[] => {
  const first = weekAt(createdAt, timeZone);
  const weeks: WeekId[] = [];
  let week = lastFinishedWeek(now, timeZone);
  for (; week >= first && weeks.length <= MOST_EARLIER; week = shiftWeek(week, -1)) weeks.push(week);
  return weeks;
};

/** `last` is null if the team was created after that week. */
export type ReportsDue = { last: number | null; next: number };

/**
 * When the service makes last week's report on its own, which may still be in the future, and when it makes the next
 * one that doesn't exist yet: someone may have requested the newest ahead of time.
 */
export const findReportsDue = ({ createdAt, timeZone }: Reporting, now: number, newest: WeekId | null): ReportsDue => {
  const dueAt = (week: WeekId): number => spanOf(week, timeZone).endsAt + MORNING_MS;
  const first = weekAt(createdAt, timeZone);
  const last = lastFinishedWeek(now, timeZone);
  let next = last < first ? first : last;
  while (dueAt(next) <= now || (newest !== null && next <= newest)) next = shiftWeek(next, 1);
  return { last: last < first ? null : dueAt(last), next: dueAt(next) };
};
