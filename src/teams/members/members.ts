import type { Role } from '../../http/index.ts';
import { type PageQuery, withContext } from '../../platform/index.ts';
import type { AuditActor } from '../audit/audit-store.ts';
import { recordAudit } from '../audit/record-audit.ts';
import type { TeamsContext } from '../context.ts';
import { callerRemoved, memberExists, memberUnknown, roleFromOutside } from '../errors.ts';
import { createInviteByMail } from '../links/mail-invitation.job.ts';
import { normalizeEmail } from '../records/add-user.ts';
import { deleteUnusedLinks } from '../records/credential-store.ts';
import { describeEnded, endHandedBy } from '../records/handed-store.ts';
import { holderOf } from '../records/holder.ts';
import { forgetProof, hasEverProved } from '../records/proof-store.ts';
import { readIdPage } from '../records/read-id-page.ts';
import { withdrawProofs } from '../records/session-store.ts';
import { lockTeam } from '../records/team-store.ts';
import { findMemberByEmail, getMember, listUsers, removeUser, type User, updateUser } from '../records/user-store.ts';
import { inviteMember } from './invite-member.ts';
import { lockMember, refuseLastAdmin } from './lock-member.ts';
import { handLink, makeLink } from './member-links.ts';

export const createMembers = (context: TeamsContext) => {
  const { database, clock, forgetCallers } = context;
  const inviteByMail = context.mailer && createInviteByMail(context);

  return {
    ...withContext({ ...context, inviteByMail }, { invite: inviteMember, handLink, makeLink }),

    /** Whether invitations are emailed. */
    mails: inviteByMail !== null,

    /** Lists members, oldest first. */
    list: (teamId: string, query: PageQuery) =>
      readIdPage(query, (after, limit) => listUsers(database, teamId, after, limit)),

    async get(teamId: string, userId: string): Promise<User> {
      const user = await getMember(database, teamId, userId);
      if (!user) throw memberUnknown();
      return user;
    },

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
        const isDemoted = user.role === 'admin' && changed.role !== 'admin';
        const detail = {
          ...(changed.role !== user.role && { role: changed.role }),
          ...(changed.name !== user.name && { fields: ['name'] }),
          ...(isDemoted && describeEnded(await endHandedBy(tx, { teamId, userId }))),
        };
        if (Object.keys(detail).length > 0)
          await recordAudit(context, tx, teamId, actor, { action: 'member.change', target: userId, detail });
        tx.afterCommit(forgetCallers);
        return changed;
      }),

    /**
     * Removes a member. Immediately ends the member's sessions and tokens, and those that came from sign-in links that
     * the member made for others. The team keeps its connections.
     */
    remove: (teamId: string, actor: AuditActor, userId: string): Promise<void> =>
      database.transaction(async (tx) => {
        const { admins } = await lockMember(tx, teamId, actor, userId);
        refuseLastAdmin(admins, userId);
        const detail = describeEnded(await removeUser(tx, teamId, userId, clock.now()));
        await recordAudit(context, tx, teamId, actor, {
          ...{ action: 'member.remove', target: userId },
          ...(detail && { detail }),
        });
        tx.afterCommit(forgetCallers);
      }),

    /** Whether the member has ever verified an email address. If so, `handLink` is refused. */
    hasProved: (teamId: string, userId: string) => hasEverProved(database, { teamId, userId }),

    /**
     * Changes a member's email address. Only for the operator, because the new address isn't verified. The member stays
     * signed in, but can't switch to other teams until they sign in with a link that verifies the new address. That
     * sign-in also ends earlier sessions and tokens, in case the old address was a stranger's.
     */
    changeEmail: ({ teamId, id }: User, actor: AuditActor, email: string): Promise<User> =>
      database.transaction(async (tx) => {
        if (!(await lockTeam(tx, teamId))) throw callerRemoved();
        const { user } = await lockMember(tx, teamId, actor, id);
        const changed = { ...user, email: normalizeEmail(email) };
        if (changed.email === user.email) return user;
        if (await findMemberByEmail(tx, teamId, changed.email)) throw memberExists();
        await updateUser(tx, changed);
        await deleteUnusedLinks(tx, holderOf(user));
        await withdrawProofs(tx, { teamId, userId: id });
        await forgetProof(tx, { teamId, userId: id });
        const detail = { fields: ['email'] };
        await recordAudit(context, tx, teamId, actor, { action: 'member.change', target: id, detail });
        tx.afterCommit(forgetCallers);
        return changed;
      }),
  };
};

export type Members = ReturnType<typeof createMembers>;
