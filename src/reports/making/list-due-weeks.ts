import type { Team } from '../../teams/index.ts';
import {
  listReportedWeeks,
  listUncheckedWeeks,
  type RunAskedBy,
  type Span,
  type TeamWeek,
} from '../figures/report-store.ts';
import type { ReportsContext } from '../week/context.ts';
import { listFinishedWeeks, MORNING_MS } from '../week/due-weeks.ts';
import { spanOf, type WeekId } from '../week/week.ts';

/** Once a day, the service checks the last report for late data. */
const CHECK_EVERY_MS = 24 * 3_600_000;

/** `isKnown` means that it has a report already. */
export type DueWeek = { week: WeekId; isKnown: boolean };
export type DueTeam = { team: Team; weeks: DueWeek[] };

const keyOf = ({ teamId, week }: TeamWeek): string => `${teamId} ${week}`;

const keysOf = async (rows: Promise<TeamWeek[]>): Promise<Set<string>> => new Set((await rows).map(keyOf));

const spanning = (sorted: readonly string[]): Span => ({ first: sorted[0] ?? '', last: sorted.at(-1) ?? '' });

const isOver = (week: WeekId, { timeZone }: Team, now: number): boolean => spanOf(week, timeZone).endsAt <= now;

/** Takes the same few queries for a page of teams as for one. The teams come in the order of their ids. */
export const listDueWeeks = async (
  { database, clock }: Pick<ReportsContext, 'database' | 'clock'>,
  teams: readonly Team[],
  { week: wanted = null, askedBy }: { week?: WeekId | null; askedBy: RunAskedBy },
): Promise<DueTeam[]> => {
  const now = clock.now();
  const finished = teams.map((team) => {
    const asked = wanted !== null && isOver(wanted, team, now) ? [wanted] : [];
    return { team, weeks: wanted === null ? listFinishedWeeks(team, now) : asked };
  });
  const ids = spanning(teams.map(({ id }) => id));
  const weeks = spanning(finished.flatMap((one) => one.weeks).sort());
  const known = await keysOf(listReportedWeeks(database, ids, weeks));
  const lastWeeks = spanning(finished.flatMap((one) => one.weeks.slice(0, 1)).sort());
  const isByService = askedBy === 'service';
  const unchecked = isByService
    ? await keysOf(listUncheckedWeeks(database, ids, lastWeeks, now - CHECK_EVERY_MS))
    : known;

  /** The last week is always among them, so that its state is reported; the service reports to nobody. */
  const isDue = (team: Team, { week, isKnown }: DueWeek, isLast: boolean): boolean => {
    if (isKnown) return isLast && unchecked.has(keyOf({ teamId: team.id, week }));
    return !isByService || spanOf(week, team.timeZone).endsAt + MORNING_MS <= now;
  };
  return finished.map(({ team, weeks: all }) => ({
    team,
    weeks: all
      .map((week) => ({ week, isKnown: known.has(keyOf({ teamId: team.id, week })) }))
      .filter((due, index) => isDue(team, due, index === 0))
      .reverse(),
  }));
};
