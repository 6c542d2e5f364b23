import type { Transaction } from '../../platform/index.ts';
import type { AuditActor } from '../audit/audit-store.ts';
import { callerRemoved } from '../errors.ts';
import { type Hands, lockOrigin } from '../records/handed-store.ts';

/**
 * Locks the session or access token that a change is made with, and refuses it if it has just ended. Returns who makes
 * what the change makes, and through whose hands that session or token came. With the operator's own token, `madeBy` is
 * null: the token acts as an admin, but its links stay when that admin is removed.
 */
export const lockActor = async (
  tx: Transaction,
  teamId: string,
  { userId, sessionId, tokenId, viaAdminToken = false }: AuditActor,
): Promise<{ madeBy: string | null; hands: Hands }> => {
  if (userId === null || viaAdminToken) return { madeBy: null, hands: [] };
  const origin = await lockOrigin(tx, { teamId, userId, sessionId, tokenId });
  if (!origin) throw callerRemoved();
  return { madeBy: userId, hands: origin.hands };
};
