import { anonymizeAudit } from '../records/audit-store.ts';
import type { TeamsContext } from '../records/context.ts';
import { deleteCredentialsOfTeam } from '../records/credential-store.ts';
import { deleteOtherUsers } from '../records/user-store.ts';
import type { TeamToErase } from './team-eraser.ts';

/** Everyone who was in the team, how they got in, and what the audit log says about them. */
export const erasePeople = async (
  { database }: TeamsContext,
  { teamId, heirId, pace }: TeamToErase,
): Promise<number> => {
  await deleteCredentialsOfTeam(database, teamId, pace);
  await deleteOtherUsers(database, teamId, heirId, pace);
  await anonymizeAudit(database, teamId, pace);
  return 0;
};
