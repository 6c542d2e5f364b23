import { within } from '../../platform/index.ts';
import type { Team } from '../../teams/index.ts';
import { countsDemoCalls } from '../../telephony/index.ts';
import type { ReportsContext } from '../context.ts';
import { listReportRows } from '../figures/report-store.ts';
import { openFigures } from '../figures/sealed-figures.ts';
import type { createWatchWeek, WatchedWeek } from '../figures/watch-week.ts';
import { toWeekGlance, type WeekGlance } from '../figures/week-glance.ts';
import { shiftWeek, spanOf, type WeekId, type WeekSpan } from '../week/week.ts';

/** How many weeks are shown, with the current one. */
const WEEKS = 8;
/** How long whoever looks for the first time, or after a while, waits for the count. */
const WAIT_MS = 100;
/** An older count is better than none, but not worth showing at once. */
const OLD_MS = 10 * 60_000;

/** Whether the last count would mislead: there is none, it found nothing, or it's from earlier or from before a change. */
const isWorthWaiting = (last: WatchedWeek['last'], now: number, seen: string): boolean =>
  last === null || last.glance.inbound === 0 || now - last.asOf > OLD_MS || last.seen !== seen;

export type RecentWeeks = {
  /** Finished weeks, oldest first. Null: it has no report. */
  finished: { week: WeekId; glance: WeekGlance | null }[];
  current: WeekSpan & {
    week: WeekId;
    counted: WatchedWeek['last'];
    /** Something has changed since it was counted. */
    isBehind: boolean;
    /** False: the count failed, and is tried again later. */
    isCounting: boolean;
  };
};

type RecentContext = ReportsContext & { watchWeek: ReturnType<typeof createWatchWeek> };

/**
 * How the last weeks went, from their reports, and the current one as it was last counted. Nothing is counted meanwhile.
 * `seen` is what else is shown of the team's calls: once it changes, they are counted again.
 */
export const showRecentWeeks = async (
  { database, vault, clock, watchWeek }: RecentContext,
  team: Team,
  seen: string,
): Promise<RecentWeeks> => {
  const watched = watchWeek(team, await countsDemoCalls({ database }, team.id), seen);
  const { week, last, underWay } = watched;
  const [rows] = await Promise.all([
    listReportRows(database, team.id, WEEKS - 1, week),
    underWay && isWorthWaiting(last, clock.now(), seen) && within(WAIT_MS, underWay),
  ]);
  const opened = await Promise.all(
    rows.map(async (row) => [row.week, toWeekGlance(await openFigures(vault, row))] as const),
  );
  const glances = new Map(opened);
  const finished = Array.from({ length: WEEKS - 1 }, (_, index) => shiftWeek(week, index + 1 - WEEKS));
  const counted = watched.last;
  return {
    finished: finished.map((one) => ({ week: one, glance: glances.get(one) ?? null })),
    current: {
      week,
      ...spanOf(week, team.timeZone),
      counted,
      isBehind: counted !== null && counted.seen !== seen,
      isCounting: watched.underWay !== null,
    },
  };
};
