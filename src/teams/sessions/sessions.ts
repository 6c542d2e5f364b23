import type { PageQuery, Transaction } from '../../platform/index.ts';
import type { AuditActor } from '../audit/audit-store.ts';
import { recordAudit } from '../audit/record-audit.ts';
import type { TeamsContext } from '../context.ts';
import { callerRemoved } from '../errors.ts';
import { deleteLostLinks } from '../records/credential-store.ts';
import { describeEnded, endHandedBy, lockOrigin, NOTHING_ENDED } from '../records/handed-store.ts';
import { holderOf, type Visitor } from '../records/holder.ts';
import { listSamePersonForUpdate } from '../records/membership-store.ts';
import { readIdPage } from '../records/read-id-page.ts';
import { deleteOtherSessions, deleteSession, listSessions } from '../records/session-store.ts';
import { listUsersByEmailForUpdate } from '../records/user-store.ts';

/**
 * Lists whose sessions the caller may end: the person's own user in each team, with the actor for that team's audit log.
 * In other teams than the caller's, only sessions that prove that the person owns the email address may be ended
 * (`provingOnly`), because only those can switch teams.
 */
const listOwners = async (tx: Transaction, caller: Visitor, actor: AuditActor) => {
  const others = (await listSamePersonForUpdate(tx, caller)).filter(({ userId }) => userId !== caller.userId);
  return [
    { owner: { ...caller, provingOnly: false }, by: actor },
    ...others.map((other) => ({ owner: { ...other, provingOnly: true }, by: { ...actor, userId: other.userId } })),
  ];
};

/** Ends unused links to a person. Returns how many, for the audit log, or null if there were none. */
const endLostLinks = async (tx: Transaction, owner: Pick<Visitor, 'teamId' | 'userId'>) => {
  const lostLinks = await deleteLostLinks(tx, owner);
  return lostLinks > 0 ? { lostLinks } : null;
};

/** The caller's own sessions. */
export const createSessions = (context: TeamsContext) => {
  const { database, clock, forgetCallers } = context;
  return {
    /** Lists valid sessions, newest first. */
    list: (caller: Visitor, query: PageQuery) =>
      readIdPage(query, (before, limit) => listSessions(database, caller, clock.now(), before, limit)),

    /**
     * Ends a session. False if it isn't the caller's. Takes effect immediately here, and within a second in other
     * processes.
     */
    end: (caller: Visitor, actor: AuditActor, sessionId: string): Promise<boolean> =>
      database.transaction(async (tx) => {
        const owners = await listOwners(tx, caller, actor);
        if (!(await lockOrigin(tx, caller))) {
          // A person who signs out once more isn't refused.
          if (sessionId === caller.sessionId) return false;
          throw callerRemoved();
        }
        for (const { owner, by } of owners) {
          if ((await deleteSession(tx, owner, sessionId)) === 0) continue;
          await recordAudit(context, tx, owner.teamId, by, { action: 'session.end', target: sessionId });
          tx.afterCommit(forgetCallers);
          return true;
        }
        return false;
      }),

    /**
     * Ends all sessions except the current one, and unused links to the person, for a person who has lost a device. With `links`, also ends what came from sign-in links that were made in the person's name, because a
     * stranger could have made them on that device.
     */
    endOthers: (caller: Visitor, actor: AuditActor, { links }: { links: boolean }): Promise<void> =>
      database.transaction(async (tx) => {
        const owners = await listOwners(tx, caller, actor);
        // In other processes, an ended session stays cached for up to a second. It must not end its owner's others.
        if (!(await lockOrigin(tx, caller))) throw callerRemoved();
        for (const { owner, by } of owners) {
          const ended = await deleteOtherSessions(tx, owner, caller.sessionId ?? '');
          const lost = await endLostLinks(tx, owner);
          const handed = describeEnded(links ? await endHandedBy(tx, owner, caller.sessionId) : NOTHING_ENDED);
          if (ended === 0 && lost === null && handed === null) continue;
          const entry = { action: 'session.end_others', detail: { ended, ...lost, ...handed } };
          await recordAudit(context, tx, owner.teamId, by, entry);
          tx.afterCommit(forgetCallers);
        }
      }),

    /**
     * Ends all sessions of the person with this email address, in one team or (with null) in all, and unused links
     * to the person. Only for the operator. A stranger who has the person's lost device could have made sign-in
     * links for others and opened them. So this also ends the sessions that began with a link from the person
     * (`handed`), what was made in them, and unused links from the person. The person's own access tokens stay.
     */
    endAll: (
      { email, teamId }: { email: string; teamId: string | null },
      actor: AuditActor,
    ): Promise<{ own: number; handed: number }> =>
      database.transaction(async (tx) => {
        const total = { own: 0, handed: 0 };
        // Lock all users before anything is deleted, so that no session switches to a team that is already done.
        const users = (await listUsersByEmailForUpdate(tx, email)).map(holderOf);
        for (const user of users.filter((one) => teamId === null || one.teamId === teamId)) {
          const own = await deleteOtherSessions(tx, user, '');
          const lost = await endLostLinks(tx, user);
          const handed = await endHandedBy(tx, user);
          const described = describeEnded(handed);
          if (own === 0 && lost === null && described === null) continue;
          const detail = { ended: own, ...lost, ...described };
          const entry = { action: 'session.end_all', target: user.userId, detail };
          await recordAudit(context, tx, user.teamId, actor, entry);
          total.own += own;
          total.handed += handed.sessions;
          tx.afterCommit(forgetCallers);
        }
        return total;
      }),
  };
};

export type Sessions = ReturnType<typeof createSessions>;
