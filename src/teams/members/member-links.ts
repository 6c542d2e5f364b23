import type { TeamsContext } from '../context.ts';
import { linkNotMade } from '../errors.ts';
import { LINK_LIFETIME_MS, makeSignInLink, type SignInLink } from '../links/make-sign-in-link.ts';
import type { AuditActor } from '../records/audit-store.ts';
import { deleteUnusedLinks } from '../records/credential-store.ts';
import { holderOf } from '../records/holder.ts';
import { recordAudit } from '../records/record-audit.ts';
import { getUserForUpdate, hasProvedAddress, type User } from '../records/user-store.ts';
import type { Invited } from './invite-member.ts';
import { lockMember } from './lock-member.ts';

/**
 * For a member who can't get in anymore. An admin could use the link themselves, as they could the invitation, so
 * it proves no address, and nobody makes one for a member who has proved theirs: their first proof would have ended
 * what the admin did as them, but there is no second. Earlier links stop working, sessions and tokens don't.
 */
export const handLink = (
  context: TeamsContext,
  teamId: string,
  actor: AuditActor,
  userId: string,
): Promise<Omit<Invited, 'mailed'>> =>
  context.database.transaction(async (tx) => {
    const { user } = await lockMember(tx, teamId, actor, userId);
    if (user.source !== 'patchbay' || !user.email) throw linkNotMade('outside');
    if (user.id === actor.userId) throw linkNotMade('own');
    if (await hasProvedAddress(tx, { teamId, userId })) throw linkNotMade('mailbox');
    await deleteUnusedLinks(tx, holderOf(user));
    await recordAudit(context, tx, teamId, actor, { action: 'link.create', target: userId });
    const lifetimeMs = LINK_LIFETIME_MS.asked;
    const link = await makeSignInLink(context, tx, holderOf(user), lifetimeMs, 'handed', actor.userId);
    return { user, link };
  });

/**
 * For the operator only, because anyone who uses the link counts as the owner of the address. Earlier links stop
 * working.
 */
export const makeLink = (context: TeamsContext, user: User, actor: AuditActor): Promise<SignInLink> =>
  context.database.transaction(async (tx) => {
    await getUserForUpdate(tx, user.teamId, user.id);
    await deleteUnusedLinks(tx, holderOf(user));
    await recordAudit(context, tx, user.teamId, actor, { action: 'link.create', target: user.id });
    return makeSignInLink(context, tx, holderOf(user), LINK_LIFETIME_MS.asked, 'asked');
  });
