import { adminOnly, type Role } from '../../http/index.ts';
import type { PageQuery, Transaction } from '../../platform/index.ts';
import type { TeamsContext } from '../context.ts';
import {
  callerGone,
  lastAdmin,
  linkNotMade,
  memberExists,
  memberLimit,
  memberUnknown,
  roleFromOutside,
} from '../errors.ts';
import { createInviteByMail } from '../links/mail-invitation.job.ts';
import { LINK_LIFETIME_MS, makeSignInLink, type SignInLink } from '../links/make-sign-in-link.ts';
import { listAccessTokens } from '../records/access-token-store.ts';
import { addUser, normalizeEmail } from '../records/add-user.ts';
import type { AuditActor } from '../records/audit-store.ts';
import { deleteLinksMadeBy, deleteUnusedLinks } from '../records/credential-store.ts';
import { holderOf } from '../records/holder.ts';
import { readIdPage } from '../records/read-id-page.ts';
import { recordAudit } from '../records/record-audit.ts';
import { withdrawProofs } from '../records/session-store.ts';
import { lockTeam } from '../records/team-store.ts';
import {
  countMembers,
  findMemberByEmail,
  getMember,
  getUserForUpdate,
  hasProvedAddress,
  listAdminIdsForUpdate,
  listUsers,
  removeUser,
  type User,
  updateUser,
} from '../records/user-store.ts';

/** `mailed`: a link is emailed to them, too. */
export type Invited = { user: User; link: SignInLink; mailed: boolean };

/** Without a role: a member, or their current role if they were invited before. */
type Invitation = { email: string; name: string | null; role?: Role | undefined };

/** Inviting someone again who never signed in makes a new link and uses the new role. */
const findUnusedInvitation = async (tx: Transaction, teamId: string, email: string): Promise<User | undefined> => {
  const found = await findMemberByEmail(tx, teamId, normalizeEmail(email));
  // A sign-in or a new token takes the same lock, so it either shows here or comes after.
  const user = found && (await getUserForUpdate(tx, teamId, found.id));
  if (!user || user.signedInAt !== null) return undefined;
  // Someone with an access token counts as signed in: a link would let the inviter in as them.
  return (await listAccessTokens(tx, { teamId, userId: user.id }, null, 1)).length === 0 ? user : undefined;
};

/** A caller stays cached for up to a second in other processes. By then they may no longer be an admin. */
const refuseFormerAdmin = (admins: readonly string[], { kind, userId }: AuditActor): void => {
  if (kind === 'user' && !admins.includes(userId ?? '')) throw adminOnly();
};

const refuseLastAdmin = (admins: readonly string[], userId: string): void => {
  if (admins.length === 1 && admins[0] === userId) throw lastAdmin();
};

/**
 * Everyone locks the admins' rows before the member's, so that two changes at once wait for each other without a
 * deadlock.
 */
const lockMember = async (tx: Transaction, teamId: string, actor: AuditActor, userId: string) => {
  const admins = await listAdminIdsForUpdate(tx, teamId);
  refuseFormerAdmin(admins, actor);
  await getUserForUpdate(tx, teamId, userId);
  const user = await getMember(tx, teamId, userId);
  if (!user) throw memberUnknown();
  return { admins, user };
};

export const createMembers = (context: TeamsContext) => {
  const { database, clock, limits, forgetCallers } = context;
  const inviteByMail = context.mailer && createInviteByMail(context);

  return {
    /** Whether invitations are emailed. */
    mails: inviteByMail !== null,

    /** Oldest first. */
    list: (teamId: string, query: PageQuery) =>
      readIdPage(query, (after, limit) => listUsers(database, teamId, after, limit)),

    async get(teamId: string, userId: string): Promise<User> {
      const user = await getMember(database, teamId, userId);
      if (!user) throw memberUnknown();
      return user;
    },

    invite: (teamId: string, actor: AuditActor, { email, name, role }: Invitation): Promise<Invited> =>
      database.transaction(async (tx) => {
        // Each of several invitations counts those before it. The admins' locks wouldn't do: a team may have none.
        if (!(await lockTeam(tx, teamId))) throw callerGone();
        const admins = await listAdminIdsForUpdate(tx, teamId);
        refuseFormerAdmin(admins, actor);
        const waiting = await findUnusedInvitation(tx, teamId, email);
        const { members: most } = limits;
        if (!waiting && (await countMembers(tx, teamId)) >= most) throw memberLimit(most);
        const user = waiting
          ? { ...waiting, role: role ?? waiting.role, name: name ?? waiting.name }
          : await addUser(context, tx, teamId, { email, name, role: role ?? 'member' });
        if (user.role !== 'admin') refuseLastAdmin(admins, user.id);
        if (waiting) await updateUser(tx, user);
        tx.afterCommit(forgetCallers);
        await deleteUnusedLinks(tx, holderOf(user));
        // The operator could make any link anyway. An admin of one team must not get into another with it.
        const byOperator = actor.kind === 'command_line';
        const kind = byOperator ? 'invited' : 'handed';
        const madeBy = byOperator ? null : actor.userId;
        const link = await makeSignInLink(context, tx, holderOf(user), LINK_LIFETIME_MS.invitation, kind, madeBy);
        const mailed = !byOperator && ((await inviteByMail?.(tx, user)) ?? false);
        const detail = { role: user.role, mailed };
        await recordAudit(context, tx, teamId, actor, { action: 'member.invite', target: user.id, detail });
        return { user, link, mailed };
      }),

    change: (
      teamId: string,
      actor: AuditActor,
      userId: string,
      change: { role?: Role; name?: string | null },
    ): Promise<User> =>
      database.transaction(async (tx) => {
        const { admins, user } = await lockMember(tx, teamId, actor, userId);
        const changed = { ...user, ...change };
        if (user.source !== 'patchbay' && changed.role !== user.role) throw roleFromOutside();
        if (changed.role !== 'admin') refuseLastAdmin(admins, userId);
        await updateUser(tx, changed);
        if (changed.role !== 'admin') await deleteLinksMadeBy(tx, teamId, userId);
        const detail = {
          ...(changed.role !== user.role && { role: changed.role }),
          ...(changed.name !== user.name && { fields: ['name'] }),
        };
        if (Object.keys(detail).length > 0)
          await recordAudit(context, tx, teamId, actor, { action: 'member.change', target: userId, detail });
        tx.afterCommit(forgetCallers);
        return changed;
      }),

    /** Ends the member's sessions and tokens immediately. The team keeps its connections. */
    remove: (teamId: string, actor: AuditActor, userId: string): Promise<void> =>
      database.transaction(async (tx) => {
        const { admins } = await lockMember(tx, teamId, actor, userId);
        refuseLastAdmin(admins, userId);
        await removeUser(tx, teamId, userId, clock.now());
        await deleteLinksMadeBy(tx, teamId, userId);
        await recordAudit(context, tx, teamId, actor, { action: 'member.remove', target: userId });
        tx.afterCommit(forgetCallers);
      }),

    /** Whether the owner of the member's address has been here. Then `handLink` is refused. */
    hasProved: (teamId: string, userId: string) => hasProvedAddress(database, { teamId, userId }),

    /**
     * For a member who can't get in anymore. An admin could use the link themselves, as they could the invitation, so
     * it proves no address, and nobody makes one for a member who has proved theirs: their first proof would have ended
     * what the admin did as them, but there is no second. Earlier links stop working, sessions and tokens don't.
     */
    handLink: (teamId: string, actor: AuditActor, userId: string): Promise<Omit<Invited, 'mailed'>> =>
      database.transaction(async (tx) => {
        const { user } = await lockMember(tx, teamId, actor, userId);
        if (user.source !== 'patchbay' || !user.email) throw linkNotMade('outside');
        if (user.id === actor.userId) throw linkNotMade('own');
        if (await hasProvedAddress(tx, { teamId, userId })) throw linkNotMade('mailbox');
        await deleteUnusedLinks(tx, holderOf(user));
        await recordAudit(context, tx, teamId, actor, { action: 'link.create', target: userId });
        const lifetimeMs = LINK_LIFETIME_MS.asked;
        const link = await makeSignInLink(context, tx, holderOf(user), lifetimeMs, 'handed', actor.userId);
        return { user, link };
      }),

    /**
     * For the operator only, because nobody proves the new address. It's the same person, so they stay signed in, but
     * their sessions open no other team with the new address until they sign in with a link that proves it.
     */
    changeEmail: ({ teamId, id }: User, actor: AuditActor, email: string): Promise<User> =>
      database.transaction(async (tx) => {
        if (!(await lockTeam(tx, teamId))) throw callerGone();
        const { user } = await lockMember(tx, teamId, actor, id);
        const changed = { ...user, email: normalizeEmail(email) };
        if (changed.email === user.email) return user;
        if (await findMemberByEmail(tx, teamId, changed.email)) throw memberExists();
        await updateUser(tx, changed);
        await deleteUnusedLinks(tx, holderOf(user));
        await withdrawProofs(tx, { teamId, userId: id });
        const detail = { fields: ['email'] };
        await recordAudit(context, tx, teamId, actor, { action: 'member.change', target: id, detail });
        tx.afterCommit(forgetCallers);
        return changed;
      }),

    /**
     * For the operator only, because anyone who uses the link counts as the owner of the address. Earlier links stop
     * working.
     */
    makeLink: (user: User, actor: AuditActor): Promise<SignInLink> =>
      database.transaction(async (tx) => {
        await getUserForUpdate(tx, user.teamId, user.id);
        await deleteUnusedLinks(tx, holderOf(user));
        await recordAudit(context, tx, user.teamId, actor, { action: 'link.create', target: user.id });
        return makeSignInLink(context, tx, holderOf(user), LINK_LIFETIME_MS.asked, 'asked');
      }),
  };
};

export type Members = ReturnType<typeof createMembers>;
