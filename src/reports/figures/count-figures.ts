import { countCalls } from '../../telephony/index.ts';
import type { ReportsContext } from '../context.ts';
import { shiftWeek, spanOf, type WeekId, weekAt } from '../week/week.ts';
import type { Basis } from './basis.ts';
import { buildFigures, pieceMsOf } from './build-figures.ts';
import type { Figures } from './figures.ts';

const listIntegrations = async (
  { integrations }: Pick<ReportsContext, 'integrations'>,
  teamId: string,
): Promise<Figures['integrations']> =>
  (await integrations.listConnected(teamId)).map(
    ({ provider, connection, name, status, reconnectBefore, lastError, troubleSince, refreshFailures }) => ({
      ...{ provider, connection, name, status, reconnectBefore, troubleSince, refreshFailures },
      problem: lastError,
    }),
  );

/** Counts a week's figures from the rows. `withDemo` includes demo calls, and is never used for a stored report. */
export const countFigures = async (
  context: Pick<ReportsContext, 'database' | 'vault' | 'integrations'>,
  { team, asOf, named }: Basis,
  week: WeekId,
  { withDemo = false }: { withDemo?: boolean } = {},
): Promise<Figures> => {
  const { timeZone, businessHours } = team;
  const span = spanOf(week, timeZone);
  const previous = shiftWeek(week, -1);
  const beforeStartsAt = spanOf(previous, timeZone).startsAt;
  const pieceMs = pieceMsOf(businessHours);
  const [counted, integrations] = await Promise.all([
    countCalls(context, team.id, { ...span, beforeStartsAt, pieceMs, asOf }, { withDemo }),
    listIntegrations(context, team.id),
  ]);
  const hasBefore = weekAt(team.createdAt, timeZone) <= previous;
  const names = new Map([...named, ...counted.names]);
  return buildFigures({ timeZone, businessHours, ...span, counted: { ...counted, names }, hasBefore, integrations });
};
