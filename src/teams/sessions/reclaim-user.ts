import type { Clock, NewId, Transaction } from '../../platform/index.ts';
import { deleteUnprovedTokens } from '../records/access-token-store.ts';
import type { AuditActor } from '../records/audit-store.ts';
import { deleteUnusedLinks, type Holder } from '../records/credential-store.ts';
import { recordAudit } from '../records/record-audit.ts';
import { deleteUnprovedSessions } from '../records/session-store.ts';
import { getUserForUpdate } from '../records/user-store.ts';

type Dependencies = { clock: Clock; newId: NewId; forgetCallers(): void };

/**
 * When the owner of the address comes for the first time: whoever invited them could have signed in as them before, and
 * keeps nothing of it. What the operator made stays.
 */
export const reclaimUser = async (
  dependencies: Dependencies,
  tx: Transaction,
  holder: Holder,
  actor: AuditActor,
): Promise<void> => {
  // Whoever makes a token or a link as them at this moment has the same lock, so that none is left over.
  await getUserForUpdate(tx, holder.teamId, holder.userId);
  await deleteUnusedLinks(tx, holder);
  const sessions = await deleteUnprovedSessions(tx, holder);
  const tokens = await deleteUnprovedTokens(tx, holder);
  if (sessions + tokens === 0) return;
  const entry = { action: 'member.reclaim', target: holder.userId, detail: { sessions, tokens } };
  await recordAudit(dependencies, tx, holder.teamId, actor, entry);
  tx.afterCommit(dependencies.forgetCallers);
};
