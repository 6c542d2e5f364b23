import type { Clock, NewId, Transaction } from '../../platform/index.ts';
import { deleteUnprovedTokens } from '../records/access-token-store.ts';
import type { AuditActor } from '../records/audit-store.ts';
import { deleteUnusedLinks, type Holder } from '../records/credential-store.ts';
import { recordAudit } from '../records/record-audit.ts';
import { deleteUnprovedSessions } from '../records/session-store.ts';
import { getUserForUpdate } from '../records/user-store.ts';

type Dependencies = { clock: Clock; newId: NewId; forgetCallers(): void };

/**
 * For the first sign-in by the owner of the address. Whoever invited them could have signed in as them before, and
 * keeps nothing from that. What the operator made stays.
 */
export const reclaimUser = async (
  dependencies: Dependencies,
  tx: Transaction,
  holder: Holder,
  actor: AuditActor,
): Promise<void> => {
  // Making a token or a link as them takes the same lock, so that none is left over.
  await getUserForUpdate(tx, holder.teamId, holder.userId);
  await deleteUnusedLinks(tx, holder);
  const sessions = await deleteUnprovedSessions(tx, holder);
  const tokens = await deleteUnprovedTokens(tx, holder);
  if (sessions + tokens === 0) return;
  const entry = { action: 'member.reclaim', target: holder.userId, detail: { sessions, tokens } };
  await recordAudit(dependencies, tx, holder.teamId, actor, entry);
  tx.afterCommit(dependencies.forgetCallers);
};
