import type { Team } from '../../teams/index.ts';
import type { ReportsContext } from '../context.ts';
import type { WeekId } from '../week/week.ts';
import { basisOf } from './basis.ts';
import { countFigures } from './count-figures.ts';
import type { Figures } from './figures.ts';
import { recountFigures } from './recount-figures.ts';
import { openFigures } from './sealed-figures.ts';
import { findReport } from './view-report.ts';

/** A figure that doesn't match the rows. */
type Difference = { figure: string; reported: unknown; counted: unknown };

export type Verification = {
  week: WeekId;
  revision: number;
  differences: Difference[];
  /** True if late data explains the differences. The next run then makes a new revision. */
  isLate: boolean;
};

/** The figures that differ, by path: `outcomes.missed.value`. */
export const compareFigures = (reported: unknown, counted: unknown, figure = ''): Difference[] => {
  const isBranch = (value: unknown): value is object => typeof value === 'object' && value !== null;
  if (!isBranch(reported) || !isBranch(counted))
    return Object.is(reported, counted) ? [] : [{ figure, reported: reported ?? null, counted: counted ?? null }];
  const names = new Set([...Object.keys(reported), ...Object.keys(counted)]);
  const [left, right] = [new Map(Object.entries(reported)), new Map(Object.entries(counted))];
  return [...names].flatMap((name) =>
    compareFigures(left.get(name), right.get(name), figure === '' ? name : `${figure}.${name}`),
  );
};

/** Leaves out integrations, because only their current state is known, not their state in that week. */
const factsOf = ({ integrations: _, ...facts }: Figures) => facts;

/** Recounts a report's week in a different way and lists the differences. Changes nothing. */
export const verifyReport = async (context: ReportsContext, team: Team, week: WeekId): Promise<Verification> => {
  const { vault } = context;
  const report = await findReport(context, team.id, week);
  const basis = await basisOf(vault, team, report);
  const counted = await recountFigures(context, basis, week);
  const differences = compareFigures(factsOf(await openFigures(vault, report)), counted);
  const now = differences.length > 0 ? await countFigures(context, basis, week) : null;
  const isLate = now !== null && compareFigures(factsOf(now), counted).length === 0;
  return { week, revision: report.revision, differences, isLate };
};
