import { adminOnly } from '../../http/index.ts';
import type { Transaction } from '../../platform/index.ts';
import type { AuditActor } from '../audit/audit-store.ts';
import { callerRemoved } from '../errors.ts';
import { lockOrigin } from '../records/handed-store.ts';
import { getUserForUpdate, type User } from '../records/user-store.ts';

/**
 * Locks the user who makes a change, and their session or access token, until the commit. Refuses a person who was
 * removed, or whose credential has ended: while the change waited for another lock, or less than a second ago in another
 * process. Null for the command line, the service, and the operator, who act without being in the team.
 * Lock the team before calling this.
 */
export const lockCaller = async (
  tx: Transaction,
  teamId: string,
  { kind, userId, sessionId, tokenId, viaAdminToken = false }: AuditActor,
): Promise<User | null> => {
  if (kind !== 'user' || userId === null || viaAdminToken) return null;
  const user = await getUserForUpdate(tx, teamId, userId);
  if (!user || !(await lockOrigin(tx, { teamId, userId, sessionId, tokenId }))) throw callerRemoved();
  return user;
};

/** Like `lockCaller`, and refuses a person who is no longer an admin. */
export const lockAdmin = async (tx: Transaction, teamId: string, actor: AuditActor): Promise<void> => {
  const user = await lockCaller(tx, teamId, actor);
  if (user && user.role !== 'admin') throw adminOnly();
};
