import type { Clock, Database, NewId } from '../platform/index.ts';
import type { AuditActor } from './audit-store.ts';
import type { Holder } from './credential-store.ts';
import { recordAudit } from './record-audit.ts';
import { deleteOtherSessions, deleteSession } from './session-store.ts';

export type EndSessionDependencies = { database: Database; clock: Clock; newId: NewId; forgetCallers(): void };

/** One of one's own; false where it is none. Works at once here and within a second in other processes. */
export const endSession = (
  dependencies: EndSessionDependencies,
  holder: Holder,
  actor: AuditActor,
  sessionId: string,
): Promise<boolean> =>
  dependencies.database.transaction(async (tx) => {
    if ((await deleteSession(tx, holder, sessionId)) === 0) return false;
    await recordAudit(dependencies, tx, holder.teamId, actor, { action: 'session.end', target: sessionId });
    tx.afterCommit(dependencies.forgetCallers);
    return true;
  });

/** All of one's own but this one, for whoever has lost a device. Answers how many there were. */
export const endOtherSessions = (
  dependencies: EndSessionDependencies,
  holder: Holder,
  actor: AuditActor,
  keptId: string,
): Promise<number> =>
  dependencies.database.transaction(async (tx) => {
    const ended = await deleteOtherSessions(tx, holder, keptId);
    if (ended === 0) return 0;
    await recordAudit(dependencies, tx, holder.teamId, actor, { action: 'session.end_others', detail: { ended } });
    tx.afterCommit(dependencies.forgetCallers);
    return ended;
  });
