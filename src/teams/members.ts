import type { Role } from '../http/index.ts';
import type { Clock, Database, NewId, Transaction } from '../platform/index.ts';
import { addUser, type NewUser, normalizeEmail } from './add-user.ts';
import type { AuditActor } from './audit-store.ts';
import { lastAdmin, memberUnknown, roleFromOutside } from './errors.ts';
import { recordAudit } from './record-audit.ts';
import { holderOf, LINK_LIFETIME_MS, makeSignInLink, type SignInLink } from './sign-in-link.ts';
import {
  findUserByEmail,
  getUserForUpdate,
  listAdminIdsForUpdate,
  removeUser,
  type User,
  updateUser,
} from './user-store.ts';

export type MemberDependencies = { database: Database; clock: Clock; newId: NewId; url: string; forgetCallers(): void };

/** Asked again for somebody who never came, it makes a new link and changes nothing else. */
const findUnusedInvitation = async (tx: Transaction, teamId: string, email: string): Promise<User | undefined> => {
  const user = await findUserByEmail(tx, normalizeEmail(email));
  return user?.teamId === teamId && user.signedInAt === null ? user : undefined;
};

export const inviteMember = (
  dependencies: MemberDependencies,
  teamId: string,
  actor: AuditActor,
  invited: NewUser,
): Promise<{ user: User; link: SignInLink }> =>
  dependencies.database.transaction(async (tx) => {
    const user =
      (await findUnusedInvitation(tx, teamId, invited.email)) ?? (await addUser(dependencies, tx, teamId, invited));
    const link = await makeSignInLink(dependencies, tx, holderOf(user), LINK_LIFETIME_MS.invitation);
    await recordAudit(dependencies, tx, teamId, actor, {
      action: 'member.invite',
      target: user.id,
      detail: { role: user.role },
    });
    return { user, link };
  });

const refuseWithoutAdmin = async (tx: Transaction, { teamId, id }: User): Promise<void> => {
  const admins = await listAdminIdsForUpdate(tx, teamId);
  if (admins.length === 1 && admins[0] === id) throw lastAdmin();
};

export type MemberChange = { role?: Role; name?: string | null };

export const changeMember = (
  dependencies: MemberDependencies,
  teamId: string,
  actor: AuditActor,
  userId: string,
  change: MemberChange,
): Promise<User> =>
  dependencies.database.transaction(async (tx) => {
    const user = await getUserForUpdate(tx, teamId, userId);
    if (!user) throw memberUnknown();
    const changed = { ...user, ...change };
    if (user.outside && changed.role !== user.role) throw roleFromOutside();
    if (changed.role !== 'admin') await refuseWithoutAdmin(tx, user);
    await updateUser(tx, changed);
    await recordAudit(dependencies, tx, teamId, actor, {
      action: 'member.change',
      target: userId,
      detail: { role: changed.role },
    });
    tx.afterCommit(dependencies.forgetCallers);
    return changed;
  });

/** Ends the member's sessions and tokens at once. The team's connections stay. */
export const removeMember = (
  dependencies: MemberDependencies,
  teamId: string,
  actor: AuditActor,
  userId: string,
): Promise<void> =>
  dependencies.database.transaction(async (tx) => {
    const user = await getUserForUpdate(tx, teamId, userId);
    if (!user) throw memberUnknown();
    await refuseWithoutAdmin(tx, user);
    await removeUser(tx, teamId, userId, dependencies.clock.now());
    await recordAudit(dependencies, tx, teamId, actor, { action: 'member.remove', target: userId });
    tx.afterCommit(dependencies.forgetCallers);
  });
