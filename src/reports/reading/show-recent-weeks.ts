import { within } from '../../platform/index.ts';
import type { Team } from '../../teams/index.ts';
import { countsDemoCalls } from '../../telephony/index.ts';
import type { ReportsContext } from '../context.ts';
import { listReportRows } from '../figures/report-store.ts';
import { openFigures } from '../figures/sealed-figures.ts';
import type { createWatchWeek, WatchedWeek } from '../figures/watch-week.ts';
import { toWeekGlance, type WeekGlance } from '../figures/week-glance.ts';
import { shiftWeek, spanOf, type WeekId, type WeekSpan } from '../week/week.ts';

/** How many weeks are shown, including the current one. */
const WEEKS = 8;
/** How long a page waits for a new count if the last one isn't good enough to show (`isWorthWaiting`). */
const WAIT_MS = 100;
/** A count older than this isn't shown if a new one is ready within `WAIT_MS`. */
const OLD_MS = 10 * 60_000;

/** Whether to wait for a new count: the last one is missing, found no calls, is old, or is from before a change. */
const isWorthWaiting = (last: WatchedWeek['last'], now: number, seen: string): boolean =>
  last === null || last.glance.inbound === 0 || now - last.asOf > OLD_MS || last.seen !== seen;

export type RecentWeeks = {
  /** Finished weeks, oldest first. `glance` is null if the week has no report. */
  finished: { week: WeekId; glance: WeekGlance | null }[];
  current: WeekSpan & {
    week: WeekId;
    counted: WatchedWeek['last'];
    /** True if the team's calls have changed since they were counted. */
    isBehind: boolean;
    /**
     * True while a count is in progress. If there is no result and this is false, the count failed and is tried again
     * later.
     */
    isCounting: boolean;
  };
};

type RecentContext = ReportsContext & { watchWeek: ReturnType<typeof createWatchWeek> };

/**
 * Shows the last weeks from their reports, and the current week from its last count. A new count runs in the
 * background. `seen` is a fingerprint of the team's calls as the page shows them. If it has changed, the week is
 * counted again.
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
