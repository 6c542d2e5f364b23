import { anonymizeAudit } from '../audit/audit-store.ts';
import type { TeamsContext } from '../context.ts';
import { deleteCredentialsOfTeam } from '../records/credential-store.ts';
import { deleteOtherUsers } from '../records/user-store.ts';
import type { TeamToErase } from './team-eraser.ts';

/** Deletes everything that lets people into the team. Runs before the other erasers, which can take days. */
export const eraseCredentials = async ({ database }: TeamsContext, { teamId, pace }: TeamToErase): Promise<number> => {
  await deleteCredentialsOfTeam(database, teamId, pace);
  return 0;
};

/** Deletes everyone who was in the team, and anonymizes the audit log. */
export const erasePeople = async (
  { database }: TeamsContext,
  { teamId, heirId, pace }: TeamToErase,
): Promise<number> => {
  await deleteOtherUsers(database, teamId, heirId, pace);
  await anonymizeAudit(database, teamId, pace);
  return 0;
};
