import type { TeamToErase } from '../teams/index.ts';
import type { ReportsContext } from './context.ts';
import { deleteReportsOfTeam } from './figures/report-store.ts';
import { deleteDispatchesOfTeam, deleteUnsubscribesOfTeam } from './ledger/dispatch-store.ts';
import { deleteSlackAddress } from './slack/slack-address-store.ts';

/** Erases a team's reports, whom they were sent to, and where. Nothing of it has to stay. */
export const eraseReportsOfTeam = async (
  { database }: ReportsContext,
  { teamId, pace }: TeamToErase,
): Promise<number> => {
  await deleteDispatchesOfTeam(database, teamId, pace);
  await deleteReportsOfTeam(database, teamId, pace);
  await deleteSlackAddress(database, teamId);
  await deleteUnsubscribesOfTeam(database, teamId, pace);
  return 0;
};
