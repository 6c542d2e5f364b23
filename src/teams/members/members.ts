import type { Role } from '../../http/index.ts';
import type { Clock, Database, NewId, Transaction } from '../../platform/index.ts';
import { lastAdmin, memberLimit, memberUnknown, roleFromOutside } from '../errors.ts';
import type { InviteByMail } from '../links/invite-by-mail.ts';
import { holderOf, LINK_LIFETIME_MS, makeSignInLink, type SignInLink } from '../links/sign-in-link.ts';
import { listAccessTokens } from '../records/access-token-store.ts';
import { addUser, type NewUser, normalizeEmail } from '../records/add-user.ts';
import type { AuditActor } from '../records/audit-store.ts';
import { deleteUnusedLinks } from '../records/credential-store.ts';
import { recordAudit } from '../records/record-audit.ts';
import type { TeamLimits } from '../records/team-limits.ts';
import {
  countUsers,
  findMemberByEmail,
  getUserForUpdate,
  listAdminIdsForUpdate,
  removeUser,
  type User,
  updateUser,
} from '../records/user-store.ts';

export type MemberDependencies = {
  database: Database;
  clock: Clock;
  newId: NewId;
  url: string;
  limits: Pick<TeamLimits, 'members'>;
  forgetCallers(): void;
};

/** `mailed`: a link is emailed to them, too. */
export type Invited = { user: User; link: SignInLink; mailed: boolean };

/** Without a role: a member, or their current role if they were invited before. */
export type Invitation = Omit<NewUser, 'role'> & { role?: Role | undefined };

/** Inviting someone again who never signed in makes a new link and uses the new role. */
const findUnusedInvitation = async (tx: Transaction, teamId: string, email: string): Promise<User | undefined> => {
  const found = await findMemberByEmail(tx, teamId, normalizeEmail(email));
  // A sign-in or a new token takes the same lock, so it either shows here or comes after.
  const user = found && (await getUserForUpdate(tx, teamId, found.id));
  if (!user || user.signedInAt !== null) return undefined;
  // Someone with an access token counts as signed in: a link would let the inviter in as them.
  return (await listAccessTokens(tx, { teamId, userId: user.id }, null, 1)).length === 0 ? user : undefined;
};

/**
 * Everyone locks the admins' rows before the member's, so that two changes at once wait for each other without a
 * deadlock.
 */
const refuseLastAdmin = (admins: readonly string[], userId: string): void => {
  if (admins.length === 1 && admins[0] === userId) throw lastAdmin();
};

export const inviteMember = (
  dependencies: MemberDependencies,
  teamId: string,
  actor: AuditActor,
  { email, name, role }: Invitation,
  inviteByMail: InviteByMail | null = null,
): Promise<Invited> =>
  dependencies.database.transaction(async (tx) => {
    const admins = await listAdminIdsForUpdate(tx, teamId);
    const waiting = await findUnusedInvitation(tx, teamId, email);
    const { members: most } = dependencies.limits;
    if (!waiting && (await countUsers(tx, teamId)) >= most) throw memberLimit(most);
    const user = waiting
      ? { ...waiting, role: role ?? waiting.role, name: name ?? waiting.name }
      : await addUser(dependencies, tx, teamId, { email, name, role: role ?? 'member' });
    if (user.role !== 'admin') refuseLastAdmin(admins, user.id);
    if (waiting) await updateUser(tx, user);
    tx.afterCommit(dependencies.forgetCallers);
    await deleteUnusedLinks(tx, holderOf(user));
    // The operator could make any link anyway. An admin of one team must not get into another with it.
    const kind = actor.kind === 'command_line' ? 'invited' : 'handed';
    const link = await makeSignInLink(dependencies, tx, holderOf(user), LINK_LIFETIME_MS.invitation, kind);
    const mailed = (await inviteByMail?.(tx, user)) ?? false;
    await recordAudit(dependencies, tx, teamId, actor, {
      action: 'member.invite',
      target: user.id,
      detail: { role: user.role, mailed },
    });
    return { user, link, mailed };
  });

export type MemberChange = { role?: Role; name?: string | null };

export const changeMember = (
  dependencies: MemberDependencies,
  teamId: string,
  actor: AuditActor,
  userId: string,
  change: MemberChange,
): Promise<User> =>
  dependencies.database.transaction(async (tx) => {
    const admins = await listAdminIdsForUpdate(tx, teamId);
    const user = await getUserForUpdate(tx, teamId, userId);
    if (!user) throw memberUnknown();
    const changed = { ...user, ...change };
    if (user.outside && changed.role !== user.role) throw roleFromOutside();
    if (changed.role !== 'admin') refuseLastAdmin(admins, userId);
    await updateUser(tx, changed);
    await recordAudit(dependencies, tx, teamId, actor, {
      action: 'member.change',
      target: userId,
      detail: { role: changed.role },
    });
    tx.afterCommit(dependencies.forgetCallers);
    return changed;
  });

/** Ends the member's sessions and tokens at once. The team keeps its connections. */
export const removeMember = (
  dependencies: MemberDependencies,
  teamId: string,
  actor: AuditActor,
  userId: string,
): Promise<void> =>
  dependencies.database.transaction(async (tx) => {
    const admins = await listAdminIdsForUpdate(tx, teamId);
    const user = await getUserForUpdate(tx, teamId, userId);
    if (!user) throw memberUnknown();
    refuseLastAdmin(admins, userId);
    await removeUser(tx, teamId, userId, dependencies.clock.now());
    await recordAudit(dependencies, tx, teamId, actor, { action: 'member.remove', target: userId });
    tx.afterCommit(dependencies.forgetCallers);
  });
