import type { TeamToErase } from '../teams/index.ts';
import { deleteEndpointsOfTeam } from './endpoints/endpoint-store.ts';
import type { EventsContext } from './log/context.ts';
import { deleteEventsOfTeam } from './log/event-store.ts';
import { deleteTeamEnd } from './log/log-store.ts';

/** Erases everything that happened in a team. Nothing of it has to stay. */
export const eraseTeam = async ({ database }: EventsContext, { teamId, pace }: TeamToErase): Promise<number> => {
  await deleteEndpointsOfTeam(database, teamId);
  await deleteEventsOfTeam(database, teamId, pace);
  await deleteTeamEnd(database, teamId);
  return 0;
};
