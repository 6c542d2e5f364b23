import type { Clock, Database, NewId, Transaction } from '../../platform/index.ts';
import type { AuditActor } from '../records/audit-store.ts';
import { listSamePersonForUpdate, type SessionHolder } from '../records/membership-store.ts';
import { recordAudit } from '../records/record-audit.ts';
import { deleteOtherSessions, deleteSession } from '../records/session-store.ts';

export type EndSessionDependencies = { database: Database; clock: Clock; newId: NewId; forgetCallers(): void };

/**
 * The caller's users, each with the actor for that team's audit log. A session that proves the address can switch
 * between them, so it's ended wherever it is now. One that doesn't can't reach other teams, and can't be reached from
 * them.
 */
const listOwners = async (tx: Transaction, caller: SessionHolder, actor: AuditActor) => {
  const others = (await listSamePersonForUpdate(tx, caller)).filter(({ userId }) => userId !== caller.userId);
  return [
    { owner: { ...caller, provingOnly: false }, by: actor },
    ...others.map((other) => ({ owner: { ...other, provingOnly: true }, by: { ...actor, userId: other.userId } })),
  ];
};

/** One of the caller's own, or false if it isn't. Works at once here and within a second in other processes. */
export const endSession = (
  dependencies: EndSessionDependencies,
  caller: SessionHolder,
  actor: AuditActor,
  sessionId: string,
): Promise<boolean> =>
  dependencies.database.transaction(async (tx) => {
    for (const { owner, by } of await listOwners(tx, caller, actor)) {
      if ((await deleteSession(tx, owner, sessionId)) === 0) continue;
      await recordAudit(dependencies, tx, owner.teamId, by, { action: 'session.end', target: sessionId });
      tx.afterCommit(dependencies.forgetCallers);
      return true;
    }
    return false;
  });

/** All of the caller's own except this one, for someone who has lost a device. Returns how many there were. */
export const endOtherSessions = (
  dependencies: EndSessionDependencies,
  caller: SessionHolder,
  actor: AuditActor,
  keptId: string,
): Promise<number> =>
  dependencies.database.transaction(async (tx) => {
    let all = 0;
    for (const { owner, by } of await listOwners(tx, caller, actor)) {
      const ended = await deleteOtherSessions(tx, owner, keptId);
      if (ended === 0) continue;
      await recordAudit(dependencies, tx, owner.teamId, by, { action: 'session.end_others', detail: { ended } });
      all += ended;
    }
    if (all > 0) tx.afterCommit(dependencies.forgetCallers);
    return all;
  });
