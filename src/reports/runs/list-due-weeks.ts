import type { Team } from '../../teams/index.ts';
import type { ReportsContext } from '../context.ts';
import {
  listReportedWeeks,
  listUncheckedWeeks,
  type RunAskedBy,
  type Span,
  type TeamWeek,
} from '../figures/report-store.ts';
import { dueAt, listFinishedWeeks } from '../week/due-weeks.ts';
import { spanOf, type WeekId } from '../week/week.ts';

/** How often the service checks the last report for late data. */
const CHECK_EVERY_MS = 24 * 3_600_000;

/** A week to report on. `isKnown`: it already has a report. */
export type DueWeek = { week: WeekId; isKnown: boolean };
/** A team with its due weeks. `failed`: the weeks could not be determined. */
type DueTeam = { team: Team; weeks: DueWeek[]; failed: boolean };

const keyOf = ({ teamId, week }: TeamWeek): string => `${teamId} ${week}`;

const keysOf = async (rows: Promise<TeamWeek[]>): Promise<Set<string>> => new Set((await rows).map(keyOf));

const spanning = (sorted: readonly string[]): Span => ({ first: sorted[0] ?? '', last: sorted.at(-1) ?? '' });

const isOver = (week: WeekId, { timeZone }: Team, now: number): boolean => spanOf(week, timeZone).endsAt <= now;

/**
 * Lists the weeks that need a report or a check for late data. A page of teams takes no more queries than a single
 * team. The teams must be ordered by ID.
 */
export const listDueWeeks = async (
  { database, clock, log }: Pick<ReportsContext, 'database' | 'clock' | 'log'>,
  teams: readonly Team[],
  { week: wanted = null, askedBy }: { week?: WeekId | null; askedBy: RunAskedBy },
): Promise<DueTeam[]> => {
  const now = clock.now();
  const listWeeks = (team: Team): WeekId[] => {
    if (wanted === null) return listFinishedWeeks(team, now);
    return isOver(wanted, team, now) ? [wanted] : [];
  };
  const finished = teams.map((team) => {
    try {
      return { team, weeks: listWeeks(team), failed: false };
    } catch (err) {
      // For example, this version of Node doesn't know the team's time zone. The other teams still get their reports.
      log.error({ err, team: team.id }, 'the weeks of a team could not be determined');
      return { team, weeks: [], failed: true };
    }
  });
  const ids = spanning(teams.map(({ id }) => id));
  const weeks = spanning(finished.flatMap((one) => one.weeks).sort());
  const known = await keysOf(listReportedWeeks(database, ids, weeks));
  const lastWeeks = spanning(finished.flatMap((one) => one.weeks.slice(0, 1)).sort());
  const isByService = askedBy === 'service';
  const unchecked = isByService
    ? await keysOf(listUncheckedWeeks(database, ids, lastWeeks, now - CHECK_EVERY_MS))
    : known;

  /**
   * When someone asks for a run, the last week is always due, so that the response includes it. When the service runs
   * on its own, a week is due at its scheduled time, and the last week again when a check for late data is due.
   */
  const isDue = (team: Team, { week, isKnown }: DueWeek, isLast: boolean): boolean => {
    if (isKnown) return isLast && unchecked.has(keyOf({ teamId: team.id, week }));
    return !isByService || dueAt(week, team) <= now;
  };
  return finished.map(({ team, weeks: all, failed }) => ({
    team,
    failed,
    weeks: all
      .map((week) => ({ week, isKnown: known.has(keyOf({ teamId: team.id, week })) }))
      .filter((due, index) => isDue(team, due, index === 0))
      .reverse(),
  }));
};
