import type { AuditActor } from '../audit/audit-store.ts';
import { recordAudit } from '../audit/record-audit.ts';
import type { TeamsContext } from '../context.ts';
import { teamUnknown } from '../errors.ts';
import { holderOf } from '../records/holder.ts';
import { listMemberships } from '../records/membership-store.ts';
import { deleteSession, getSession } from '../records/session-store.ts';
import { getUser, lockUsers } from '../records/user-store.ts';
import { type BegunSession, beginSession } from '../sessions/begin-session.ts';

/**
 * Exchanges a session for one in another team of the same person. The new session has the same end and the same ID, so
 * that a connect that was begun before can still be finished.
 */
export const switchTeam = (
  context: TeamsContext,
  from: { teamId: string; userId: string; sessionId: string },
  actor: AuditActor,
  teamId: string,
): Promise<BegunSession> =>
  context.database.transaction(async (tx) => {
    const findMembership = async () => (await listMemberships(tx, from)).find((one) => one.teamId === teamId);
    const found = await findMembership();
    // Removing the user from that team locks the user, too. So a removal is either visible here, or waits and then also
    // ends the new session.
    // Ending the person's sessions locks their users, too, but not those that are added meanwhile. So lock the one that
    // the session leaves as well.
    await lockUsers(tx, found ? [from, found] : []);
    // Look again under the lock: one of the addresses may have changed meanwhile, and then it's another person.
    const membership = found && (await findMembership());
    const user = membership && (await getUser(tx, teamId, membership.userId));
    const session = await getSession(tx, from, from.sessionId);
    // If several switches happen at once, only one of them can delete the session.
    if (!user || !session || (await deleteSession(tx, from, from.sessionId)) === 0) throw teamUnknown();
    await recordAudit(context, tx, from.teamId, actor, { action: 'session.end', target: from.sessionId });
    tx.afterCommit(context.forgetCallers);
    const lifetimeMs = session.expiresAt - context.clock.now();
    const { device } = session;
    const kept = { id: from.sessionId, lifetimeMs, device };
    return beginSession(context, tx, holderOf(user), actor, { ...kept, provesAddress: true });
  });
