import type { AuditActor } from '../audit/audit-store.ts';
import { recordAudit } from '../audit/record-audit.ts';
import type { TeamsContext } from '../context.ts';
import { linkNotMade } from '../errors.ts';
import { LINK_LIFETIME_MS, makeSignInLink, type SignInLink } from '../links/make-sign-in-link.ts';
import { deleteUnusedLinks } from '../records/credential-store.ts';
import { holderOf } from '../records/holder.ts';
import { hasEverProved } from '../records/proof-store.ts';
import { getUserForUpdate, type User } from '../records/user-store.ts';
import type { Invited } from './invite-member.ts';
import { lockActor } from './lock-actor.ts';
import { lockMember } from './lock-member.ts';

/**
 * Makes a link for a member who can't get in anymore. Using it doesn't verify the member's email address, because the
 * admin who makes it could use it, too. Refused if the member has ever verified an address: an admin could then act as
 * the member unnoticed, because only the first verification of an address ends sessions and tokens that others opened
 * as the member. Earlier links stop working, but sessions and tokens don't.
 */
export const handLink = (
  context: TeamsContext,
  teamId: string,
  actor: AuditActor,
  userId: string,
): Promise<Omit<Invited, 'mailed'>> =>
  context.database.transaction(async (tx) => {
    const { user } = await lockMember(tx, teamId, actor, userId);
    const { madeBy, hands } = await lockActor(tx, teamId, actor);
    if (user.source !== 'patchbay' || !user.email) throw linkNotMade('outside');
    if (user.id === actor.userId) throw linkNotMade('own');
    if (await hasEverProved(tx, { teamId, userId })) throw linkNotMade('mailbox');
    await deleteUnusedLinks(tx, holderOf(user));
    await recordAudit(context, tx, teamId, actor, { action: 'link.create', target: userId });
    const lifetimeMs = LINK_LIFETIME_MS.asked;
    const link = await makeSignInLink(context, tx, holderOf(user), lifetimeMs, 'handed', madeBy, hands);
    return { user, link };
  });

/**
 * Makes a link that verifies the email address when it's used, like a link that was emailed. Only for the operator, who
 * is trusted to hand it to the right person. Earlier links stop working.
 */
export const makeLink = (context: TeamsContext, user: User, actor: AuditActor): Promise<SignInLink> =>
  context.database.transaction(async (tx) => {
    await getUserForUpdate(tx, user.teamId, user.id);
    await deleteUnusedLinks(tx, holderOf(user));
    await recordAudit(context, tx, user.teamId, actor, { action: 'link.create', target: user.id });
    return makeSignInLink(context, tx, holderOf(user), LINK_LIFETIME_MS.asked, 'asked');
  });
