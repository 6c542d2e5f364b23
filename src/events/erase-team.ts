import type { TeamToErase } from '../teams/index.ts';
import { deleteAlertsOfTeam } from './alerts/alert-store.ts';
import { deleteTeamAlerting } from './alerts/alert-team-store.ts';
import type { EventsContext } from './context.ts';
import { deleteEndpointsOfTeam } from './endpoints/endpoint-store.ts';
import { deleteEventsOfTeam } from './log/event-store.ts';

/** Erases a team's alerts, endpoints, and events. Keeps the last sequence number, for the event about the erasure. */
export const eraseEventsOfTeam = async (
  { database }: EventsContext,
  { teamId, pace }: TeamToErase,
): Promise<number> => {
  await deleteAlertsOfTeam(database, teamId, pace);
  await deleteTeamAlerting(database, teamId);
  await deleteEndpointsOfTeam(database, teamId, pace);
  await deleteEventsOfTeam(database, teamId, pace);
  return 0;
};
