import { adminOnly } from '../../http/index.ts';
import type { Transaction } from '../../platform/index.ts';
import type { AuditActor } from '../audit/audit-store.ts';
import { lastAdmin, memberUnknown } from '../errors.ts';
import { listAdminIdsForUpdate } from '../records/admin-store.ts';
import { getMember, getUserForUpdate } from '../records/user-store.ts';
import { lockActor } from './lock-actor.ts';

/** Refuses a person who is no longer an admin. In other processes, such a caller stays cached for up to a second. */
export const refuseFormerAdmin = (admins: readonly string[], { kind, userId }: AuditActor): void => {
  if (kind === 'user' && !admins.includes(userId ?? '')) throw adminOnly();
};

export const refuseLastAdmin = (admins: readonly string[], userId: string): void => {
  if (admins.length === 1 && admins[0] === userId) throw lastAdmin();
};

/**
 * Locks a member for a change. Always locks the admins' rows before the member's, so that two concurrent changes can't
 * deadlock. Refuses an actor whose credential has just ended.
 */
export const lockMember = async (tx: Transaction, teamId: string, actor: AuditActor, userId: string) => {
  const admins = await listAdminIdsForUpdate(tx, teamId);
  refuseFormerAdmin(admins, actor);
  await lockActor(tx, teamId, actor);
  await getUserForUpdate(tx, teamId, userId);
  const user = await getMember(tx, teamId, userId);
  if (!user) throw memberUnknown();
  return { admins, user };
};
