import type { AuditActor } from './audit-store.ts';
import { type BegunSession, beginSession, type SignInDependencies } from './begin-session.ts';
import { teamUnknown } from './errors.ts';
import { listMemberships } from './membership-store.ts';
import { recordAudit } from './record-audit.ts';
import { deleteSession, getSession } from './session-store.ts';
import { holderOf } from './sign-in-link.ts';
import { getUserForUpdate } from './user-store.ts';

type From = { teamId: string; userId: string; sessionId: string };

/** Trades a session for one in another team of the same person. It ends when the first one would have ended. */
export const switchTeam = (
  dependencies: SignInDependencies,
  from: From,
  actor: AuditActor,
  teamId: string,
): Promise<BegunSession> =>
  dependencies.database.transaction(async (tx) => {
    const membership = (await listMemberships(tx, from)).find((one) => one.teamId === teamId);
    // Whoever removes them from that team at this moment has the same lock.
    const user = membership && (await getUserForUpdate(tx, teamId, membership.userId));
    const session = await getSession(tx, from, from.sessionId);
    // Of several switches at once, one finds the session.
    if (!user || !session || (await deleteSession(tx, from, from.sessionId)) === 0) throw teamUnknown();
    await recordAudit(dependencies, tx, from.teamId, actor, { action: 'session.end', target: from.sessionId });
    tx.afterCommit(dependencies.forgetCallers);
    const lifetimeMs = session.expiresAt - dependencies.clock.now();
    return beginSession(dependencies, tx, holderOf(user), actor, { lifetimeMs, provesAddress: true });
  });
