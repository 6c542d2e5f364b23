import { currentWork, type Work, workFor } from '../../platform/index.ts';
import type { Team } from '../../teams/index.ts';
import type { ReportsContext } from '../context.ts';
import type { WeekId } from '../week/week.ts';
import { firstBasis } from './basis.ts';
import { countFigures } from './count-figures.ts';
import type { Figures } from './figures.ts';

/** How long a count is reused, so that a page, its charts and its email show the same figures. */
const FRESH_MS = 5_000;

/** `isDemo`: the team has only demo calls, and the figures include them. */
export type WeekNow = { asOf: number; figures: Figures; isDemo: boolean };

type CountContext = Pick<ReportsContext, 'database' | 'vault' | 'integrations' | 'clock'>;

/** Counts a week that has no report, without reusing an earlier count. `isDemo`: see `countsDemoCalls`. */
export const countWeekAnew = async (
  context: CountContext,
  team: Team,
  week: WeekId,
  isDemo: boolean,
): Promise<WeekNow> => {
  const asOf = context.clock.now();
  return { asOf, isDemo, figures: await countFigures(context, firstBasis(team, asOf), week, { withDemo: isDemo }) };
};

/** A count that callers share. `countedAt` is null until the count is done. */
type Count = { result: Promise<WeekNow>; askedBy: Work[]; countedAt: number | null };

const isAbandoned = ({ askedBy, countedAt }: Count): boolean =>
  countedAt === null && askedBy.every((work) => work.isAbandoned());

/**
 * Counts a week that has no report. Requests that come in while it's being counted, or up to `FRESH_MS` later, share
 * the result. If all of them are canceled before the count begins, it's skipped.
 */
export const createCountWeekNow = (context: CountContext) => {
  const { clock } = context;
  const counts = new Map<string, Count>();

  const begin = (key: string, work: () => Promise<WeekNow>): Count => {
    const askedBy = [currentWork()];
    const shared = { ...currentWork(), isAbandoned: () => askedBy.every((work) => work.isAbandoned()) };
    const made: Count = { result: workFor(shared, work), askedBy, countedAt: null };
    made.result.then(
      () => {
        made.countedAt = clock.now();
      },
      () => counts.get(key) === made && counts.delete(key),
    );
    return made;
  };

  /** `isDemo`: see `countsDemoCalls`. */
  return (team: Team, week: WeekId, isDemo: boolean): Promise<WeekNow> => {
    const now = clock.now();
    for (const [key, { countedAt }] of counts)
      if (countedAt !== null && Math.abs(now - countedAt) >= FRESH_MS) counts.delete(key);
    const key = JSON.stringify([team.id, week, team.timeZone, team.businessHours, isDemo]);
    const known = counts.get(key);
    if (known && !isAbandoned(known)) {
      if (known.countedAt === null) known.askedBy.push(currentWork());
      return known.result;
    }
    const made = begin(key, () => countWeekAnew(context, team, week, isDemo));
    counts.set(key, made);
    return made.result;
  };
};

/** The context with the shared counts of weeks that have no report yet. */
export type ReadingContext = ReportsContext & { countWeekNow: ReturnType<typeof createCountWeekNow> };
