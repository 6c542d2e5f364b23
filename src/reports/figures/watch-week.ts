import { workFor } from '../../platform/index.ts';
import type { Team } from '../../teams/index.ts';
import type { ReportsContext } from '../context.ts';
import { type WeekId, weekAt } from '../week/week.ts';
import type { WeekNow } from './count-week-now.ts';
import { toWeekGlance, type WeekGlance } from './week-glance.ts';

/** While nothing seems to change, a team's week is counted this often at most, however often its pages are opened. */
const COUNT_EVERY_MS = 60_000;
/** If something changed, it rests for this many times as long as the last count took, so counting stays a small part of the work. */
const REST_TIMES = 20;
/** A week without calls is counted quickly, and the first call is news. */
const COUNT_EMPTY_EVERY_MS = 2_000;
/** How many teams are remembered. Whoever was looked at longest ago is forgotten first. */
const MOST_TEAMS = 1_000;

export type WatchedWeek = {
  week: WeekId;
  /** Another week, time zone or business hours is another count, and so is one with demo calls. */
  key: string;
  begunAt: number;
  tookMs: number;
  /** What the page that began the last count showed of the calls. */
  seen: string;
  /** As it was last counted; null if it never was. */
  last: { asOf: number; glance: WeekGlance; isDemo: boolean; seen: string } | null;
  /** Resolves when the count under way is over, whether it worked or not. Null if none is. */
  underWay: Promise<void> | null;
};

type Count = (team: Team, week: WeekId, isDemo: boolean) => Promise<WeekNow>;

/**
 * The current week at a glance, for pages that must not wait for a count. It returns what was counted last, at once, and counts
 * again in the background. A team that is slow to count, or whose count fails, holds up nobody.
 *
 * `seen` is what the page shows of the same calls. If it's not what was seen at the last count, the count is out of date.
 */
export const createWatchWeek = (
  { clock, log }: Pick<ReportsContext, 'clock' | 'log'>,
  countWeekNow: Count,
  { mostTeams = MOST_TEAMS }: { mostTeams?: number } = {},
) => {
  const teams = new Map<string, WatchedWeek>();

  /** Moves the team to the end of those that are forgotten. */
  const recall = (team: Team, week: WeekId, isDemo: boolean): WatchedWeek => {
    const key = JSON.stringify([week, team.timeZone, team.businessHours, isDemo]);
    const known = teams.get(team.id);
    const fresh = { week, key, begunAt: Number.NEGATIVE_INFINITY, tookMs: 0, seen: '', last: null, underWay: null };
    const watched = known?.key === key ? known : fresh;
    teams.delete(team.id);
    teams.set(team.id, watched);
    const [oldest] = teams.keys();
    if (teams.size > mostTeams && oldest !== undefined) teams.delete(oldest);
    return watched;
  };

  const count = async (watched: WatchedWeek, team: Team, isDemo: boolean): Promise<void> => {
    const { begunAt, seen } = watched;
    try {
      // Counted as the team's own work, and to the end, even if the person who opened the page leaves.
      const { asOf, figures } = await workFor(team.id, () => countWeekNow(team, watched.week, isDemo));
      watched.last = { asOf, glance: toWeekGlance(figures), isDemo, seen };
    } catch (err) {
      log.warn({ err, team: team.id }, 'the current week could not be counted');
    } finally {
      watched.tookMs = clock.now() - begunAt;
      watched.underWay = null;
    }
  };

  const restOf = ({ last, tookMs }: WatchedWeek, isChanged: boolean): number => {
    if (last && isChanged) return Math.min(Math.max(tookMs, 0) * REST_TIMES, COUNT_EVERY_MS);
    return last?.glance.inbound === 0 ? COUNT_EMPTY_EVERY_MS : COUNT_EVERY_MS;
  };

  return (team: Team, isDemo: boolean, seen = ''): Readonly<WatchedWeek> => {
    const now = clock.now();
    const watched = recall(team, weekAt(now, team.timeZone), isDemo);
    const restMs = restOf(watched, watched.seen !== seen);
    if (watched.underWay === null && Math.abs(now - watched.begunAt) >= restMs) {
      Object.assign(watched, { begunAt: now, seen });
      watched.underWay = count(watched, team, isDemo);
    }
    return watched;
  };
};
