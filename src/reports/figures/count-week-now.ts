import { type Database, oncePer } from '../../platform/index.ts';
import type { Team } from '../../teams/index.ts';
import type { ReportsContext } from '../week/context.ts';
import type { WeekId } from '../week/week.ts';
import { firstBasis } from './basis.ts';
import { countFigures } from './count-figures.ts';
import type { Figures } from './figures.ts';

/** A page, its charts and its email show the same count. */
const FRESH_MS = 5_000;

export type WeekNow = { asOf: number; figures: Figures };

/** `countedAt` is null while it is under way. */
type Count = { result: Promise<WeekNow>; countedAt: number | null };

const countsIn = oncePer((_: Database) => new Map<string, Count>());

const count = async (context: ReportsContext, team: Team, week: WeekId): Promise<WeekNow> => {
  const asOf = context.clock.now();
  return { asOf, figures: await countFigures(context, firstBasis(team, asOf), week) };
};

/**
 * Counts a week that has no report. Everyone who asks meanwhile, or in the next few seconds, gets the same count: a team
 * has one waiting, however many requests it makes and however many of them it abandons.
 */
export const countWeekNow = (context: ReportsContext, team: Team, week: WeekId): Promise<WeekNow> => {
  const { database, clock } = context;
  const now = clock.now();
  const counts = countsIn(database);
  for (const [key, { countedAt }] of counts)
    if (countedAt !== null && Math.abs(now - countedAt) >= FRESH_MS) counts.delete(key);
  const key = JSON.stringify([team.id, week, team.timeZone, team.businessHours]);
  const known = counts.get(key);
  if (known) return known.result;
  const made: Count = { result: count(context, team, week), countedAt: null };
  counts.set(key, made);
  made.result.then(
    () => {
      made.countedAt = clock.now();
    },
    () => counts.delete(key),
  );
  return made.result;
};
