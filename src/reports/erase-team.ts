import type { TeamToErase } from '../teams/index.ts';
import type { ReportsContext } from './context.ts';
import { deleteReportsOfTeam } from './figures/report-store.ts';
import { deleteUnsubscribesOfTeam } from './ledger/dispatch-store.ts';
import { reportDispatches } from './ledger/report-dispatches.ts';

/** Erases a team's reports and their recipients. No part of a report has to be kept. */
export const eraseReportsOfTeam = async (
  { database }: ReportsContext,
  { teamId, pace }: TeamToErase,
): Promise<number> => {
  await reportDispatches.ledger.deleteOfTeam(database, teamId, pace);
  await deleteReportsOfTeam(database, teamId, pace);
  await deleteUnsubscribesOfTeam(database, teamId, pace);
  return 0;
};
