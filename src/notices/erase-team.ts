import type { TeamToErase } from '../teams/index.ts';
import { alertDispatches } from './alerts/alert-dispatches.ts';
import type { NoticesContext } from './context.ts';
import { deleteSlackAddress } from './slack/slack-address-store.ts';

/** Erases a team's Slack channel and the recipients of its alerts. */
export const eraseNoticesOfTeam = async (
  { database }: NoticesContext,
  { teamId, pace }: TeamToErase,
): Promise<number> => {
  await alertDispatches.ledger.deleteOfTeam(database, teamId, pace);
  await deleteSlackAddress(database, teamId);
  return 0;
};
