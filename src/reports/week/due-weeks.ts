import { lastFinishedWeek, shiftWeek, spanOf, type WeekId, weekAt } from './week.ts';

/** After a longer gap, only the newest weeks are made. */
const MOST_EARLIER = 8;

/** The service makes reports on Monday morning, when the night's late data is in. */
export const MORNING_MS = 8 * 3_600_000;

/** The last full week and the earlier ones since the team was created, newest first. */
export const listFinishedWeeks = (
  { createdAt, timeZone }: { createdAt: number; timeZone: string },
  now: number,
): WeekId[] => {
  const last = lastFinishedWeek(now, timeZone);
  const first = weekAt(createdAt, timeZone);
  const weeks = [last];
  for (let week = shiftWeek(last, -1); week >= first && weeks.length <= MOST_EARLIER; week = shiftWeek(week, -1))
    weeks.push(week);
  return weeks;
};

export type ReportsDue = { last: number; next: number };

/**
 * When the service makes last week's report on its own, which may still be in the future, and when it makes the next
 * one that doesn't exist yet: someone may have requested the newest ahead of time.
 */
export const findReportsDue = (timeZone: string, now: number, newest: WeekId | null): ReportsDue => {
  const dueAt = (week: WeekId): number => spanOf(week, timeZone).endsAt + MORNING_MS;
  const last = lastFinishedWeek(now, timeZone);
  let next = last;
  while (dueAt(next) <= now || (newest !== null && next <= newest)) next = shiftWeek(next, 1);
  return { last: dueAt(last), next: dueAt(next) };
};
