import type { Team } from '../../teams/index.ts';
import { reportUnknown } from '../errors.ts';
import type { WeekId } from '../week/week.ts';
import { basisOf } from './basis.ts';
import { type CountDependencies, countFigures } from './count-figures.ts';
import type { Figures } from './figures.ts';
import { recountFigures } from './recount-figures.ts';
import { getReport } from './report-store.ts';
import { openFigures } from './sealed-figures.ts';

/** A figure that doesn't match the rows. */
export type Difference = { figure: string; reported: unknown; counted: unknown };

export type Verification = {
  week: WeekId;
  revision: number;
  differences: Difference[];
  /** True if a report made now would match, so the next run makes a new revision. */
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

/** The current state of integrations says nothing about that week. */
const factsOf = ({ integrations: _, ...facts }: Figures) => facts;

/** Recounts a report's week another way and lists what differs. Changes nothing. */
export const verifyReport = async (
  dependencies: CountDependencies,
  team: Team,
  week: WeekId,
): Promise<Verification> => {
  const { database, vault } = dependencies;
  const report = await getReport(database, team.id, week);
  if (!report) throw reportUnknown();
  const basis = await basisOf(vault, team, report);
  const counted = await recountFigures(dependencies, basis, week);
  const differences = compareFigures(factsOf(await openFigures(vault, report)), counted);
  const now = differences.length > 0 ? await countFigures(dependencies, basis, week) : null;
  const isLate = now !== null && compareFigures(factsOf(now), counted).length === 0;
  return { week, revision: report.revision, differences, isLate };
};
