import { workFor } from '../../platform/index.ts';
import type { Team } from '../../teams/index.ts';
import type { ReportsContext } from '../context.ts';
import { type WeekId, weekAt } from '../week/week.ts';
import type { WeekNow } from './count-week-now.ts';
import { toWeekGlance, type WeekGlance } from './week-glance.ts';

/** While a team's calls stay the same, a week is counted at most this often, however often its pages are opened. */
const COUNT_EVERY_MS = 60_000;
/**
 * After a change, the next count waits this many times as long as the last count took, so that counting stays a small
 * part of the work.
 */
const REST_TIMES = 20;
/** A week without calls is counted more often: counting is quick, and the first call matters. */
const COUNT_EMPTY_EVERY_MS = 2_000;
/** How many teams are remembered. The team whose page was opened longest ago is forgotten first. */
const MOST_TEAMS = 1_000;

export type WatchedWeek = {
  week: WeekId;
  /** Identifies what is counted: the week, the time zone, the business hours, and whether demo calls are included. */
  key: string;
  begunAt: number;
  tookMs: number;
  /** The fingerprint of the team's calls when the last count began. */
  seen: string;
  /** The result of the last count. Null before the first one. */
  last: { asOf: number; glance: WeekGlance; isDemo: boolean; seen: string } | null;
  /** Resolves when the current count ends, even if it fails. Null if no count is in progress. */
  underWay: Promise<void> | null;
};

type Count = (team: Team, week: WeekId, isDemo: boolean) => Promise<WeekNow>;

/**
 * Shows the current week at a glance, for pages that must not wait for a count. Returns the last count immediately, and
 * counts again in the background if necessary. `seen` is a fingerprint of the team's calls as the page shows them. If
 * it has changed since the last count, that count is out of date.
 */
export const createWatchWeek = (
  { clock, log }: Pick<ReportsContext, 'clock' | 'log'>,
  countWeekNow: Count,
  { mostTeams = MOST_TEAMS }: { mostTeams?: number } = {},
) => {
  const teams = new Map<string, WatchedWeek>();

  /** Finds the team's state, and marks it as used most recently. */
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
      // Count as work of the team instead of the request, so that it continues if the person leaves the page.
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
