import type { Database } from '../../platform/index.ts';
import { countCalls } from '../../telephony/index.ts';
import type { Vault } from '../../vault/index.ts';
import { shiftWeek, spanOf, type WeekId, weekAt } from '../week/week.ts';
import type { Basis } from './basis.ts';
import { buildFigures, pieceMsOf } from './build-figures.ts';
import type { Figures } from './figures.ts';

export type CountDependencies = {
  database: Database;
  vault: Vault;
  /** The state of the team's integrations, for the same report. */
  listIntegrations(teamId: string): Promise<Figures['integrations']>;
};

/** Counted from the rows. */
export const countFigures = async (
  dependencies: CountDependencies,
  { team, asOf, named }: Basis,
  week: WeekId,
): Promise<Figures> => {
  const { timeZone, businessHours } = team;
  const span = spanOf(week, timeZone);
  const previous = shiftWeek(week, -1);
  const beforeStartsAt = spanOf(previous, timeZone).startsAt;
  const pieceMs = pieceMsOf(businessHours);
  const [counted, integrations] = await Promise.all([
    countCalls(dependencies, team.id, { ...span, beforeStartsAt, pieceMs, asOf }),
    dependencies.listIntegrations(team.id),
  ]);
  const hasBefore = weekAt(team.createdAt, timeZone) <= previous;
  const names = new Map([...named, ...counted.names]);
  return buildFigures({ timeZone, businessHours, ...span, counted: { ...counted, names }, hasBefore, integrations });
};
