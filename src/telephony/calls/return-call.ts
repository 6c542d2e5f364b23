import type { Clock, Database, NewId } from '../../platform/index.ts';
import { type AuditActor, recordAudit } from '../../teams/index.ts';
import { callNotMissed, callUnknown } from '../errors.ts';
import { isUntaken } from './call.ts';
import { getCall, type ListedCall, markCallReturned } from './call-store.ts';

/** Marks an unanswered call as returned by other means. The first mark stays. */
export const returnCall = async (
  dependencies: { database: Database; clock: Clock; newId: NewId },
  { teamId, userId }: { teamId: string; userId: string },
  actor: AuditActor,
  id: string,
): Promise<ListedCall> => {
  const { database, clock } = dependencies;
  const call = await getCall(database, teamId, id);
  if (!call) throw callUnknown();
  if (!isUntaken(call)) throw callNotMissed();
  await database.transaction(async (tx) => {
    if ((await markCallReturned(tx, teamId, id, { by: userId, now: clock.now() })) === 0) return;
    await recordAudit(dependencies, tx, teamId, actor, { action: 'call.returned', target: id });
  });
  const marked = await getCall(database, teamId, id);
  if (!marked) throw callUnknown();
  return marked;
};
