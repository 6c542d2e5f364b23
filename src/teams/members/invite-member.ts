import type { Role } from '../../http/index.ts';
import type { Transaction } from '../../platform/index.ts';
import type { AuditActor } from '../audit/audit-store.ts';
import { recordAudit } from '../audit/record-audit.ts';
import type { TeamsContext } from '../context.ts';
import { callerRemoved, memberLimit } from '../errors.ts';
import type { createInviteByMail } from '../links/mail-invitation.job.ts';
import { LINK_LIFETIME_MS, makeSignInLink, type SignInLink } from '../links/make-sign-in-link.ts';
import { listAccessTokens } from '../records/access-token-store.ts';
import { addUser, normalizeEmail } from '../records/add-user.ts';
import { listAdminIdsForUpdate } from '../records/admin-store.ts';
import { deleteUnusedLinks } from '../records/credential-store.ts';
import { describeEnded, endHandedBy } from '../records/handed-store.ts';
import { holderOf } from '../records/holder.ts';
import { lockTeam } from '../records/team-store.ts';
import { countMembers, findMemberByEmail, getUserForUpdate, type User, updateUser } from '../records/user-store.ts';
import { lockActor } from './lock-actor.ts';
import { refuseFormerAdmin, refuseLastAdmin } from './lock-member.ts';

/** `inviteByMail` is null if there is no mail server. */
type InvitingContext = TeamsContext & { inviteByMail: ReturnType<typeof createInviteByMail> | null };

/** `mailed`: the link is also emailed to the person. */
export type Invited = { user: User; link: SignInLink; mailed: boolean };

/** The default role is member, or the current role if the person was invited before. */
type Invitation = { email: string; name: string | null; role?: Role | undefined };

/** Finds a person who was invited and never signed in. Inviting them again makes a new link and sets the new role. */
const findUnusedInvitation = async (tx: Transaction, teamId: string, email: string): Promise<User | undefined> => {
  const found = await findMemberByEmail(tx, teamId, normalizeEmail(email));
  // Signing in and creating a token lock the user, too. So both are either visible here, or wait until this commits.
  const user = found && (await getUserForUpdate(tx, teamId, found.id));
  if (!user || user.signedInAt !== null) return undefined;
  // A person with an access token already uses the account. A new link would let the inviter sign in as that person.
  return (await listAccessTokens(tx, { teamId, userId: user.id }, null, 1)).length === 0 ? user : undefined;
};

export const inviteMember = (
  context: InvitingContext,
  teamId: string,
  actor: AuditActor,
  { email, name, role }: Invitation,
): Promise<Invited> =>
  context.database.transaction(async (tx) => {
    // Lock the team, so that concurrent invitations can't exceed the limit together. Locking the admins isn't enough,
    // because a team may have none.
    if (!(await lockTeam(tx, teamId))) throw callerRemoved();
    const admins = await listAdminIdsForUpdate(tx, teamId);
    refuseFormerAdmin(admins, actor);
    const waiting = await findUnusedInvitation(tx, teamId, email);
    const { members: most } = context.limits;
    if (!waiting && (await countMembers(tx, teamId)) >= most) throw memberLimit(most);
    const user = waiting
      ? { ...waiting, role: role ?? waiting.role, name: name ?? waiting.name }
      : await addUser(context, tx, teamId, { email, name, role: role ?? 'member' });
    if (user.role !== 'admin') refuseLastAdmin(admins, user.id);
    if (waiting) await updateUser(tx, user);
    const isDemoted = waiting?.role === 'admin' && user.role !== 'admin';
    const ended = isDemoted && describeEnded(await endHandedBy(tx, { teamId, userId: user.id }));
    tx.afterCommit(context.forgetCallers);
    await deleteUnusedLinks(tx, holderOf(user));
    // An admin who invites gets a `handed` link, which opens no other team of the invited person. The operator isn't
    // limited like that, because it could create any link anyway.
    const byOperator = actor.kind === 'command_line';
    const kind = byOperator ? 'invited' : 'handed';
    const { madeBy, hands } = await lockActor(tx, teamId, actor);
    const link = await makeSignInLink(context, tx, holderOf(user), LINK_LIFETIME_MS.invitation, kind, madeBy, hands);
    const mailed = !byOperator && ((await context.inviteByMail?.(tx, user)) ?? false);
    const detail = { role: user.role, mailed, ...ended };
    await recordAudit(context, tx, teamId, actor, { action: 'member.invite', target: user.id, detail });
    return { user, link, mailed };
  });
