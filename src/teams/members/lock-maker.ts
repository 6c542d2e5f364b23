import type { Transaction } from '../../platform/index.ts';
import type { AuditActor } from '../audit/audit-store.ts';
import { callerRemoved } from '../errors.ts';
import { type Hands, lockOrigin } from '../records/handed-store.ts';

/**
 * Who makes a sign-in link, and through whose hands their own session or access token came. Refuses a caller whose
 * credential has just ended. Nobody is named for the operator's own token, because its links don't end with a member.
 */
export const lockMaker = async (
  tx: Transaction,
  teamId: string,
  { userId, sessionId, tokenId, viaAdminToken = false }: AuditActor,
): Promise<{ madeBy: string | null; hands: Hands }> => {
  if (userId === null || viaAdminToken) return { madeBy: null, hands: [] };
  const origin = await lockOrigin(tx, { teamId, userId, sessionId, tokenId });
  if (!origin) throw callerRemoved();
  return { madeBy: userId, hands: origin.hands };
};
