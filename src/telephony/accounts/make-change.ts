import type { Transaction } from '../../platform/index.ts';
import { type AuditActor, callerRemoved, lockTeam, recordAudit } from '../../teams/index.ts';
import type { TelephonyContext } from '../context.ts';
import { takeChange } from './account-store.ts';

/** Who changes what in which team, for the audit log. Without an action, it's part of something else that is recorded. */
type Change = {
  teamId: string;
  actor: AuditActor;
  action: string | null;
  target: string;
  detail?: Record<string, unknown>;
};

/**
 * Changes accounts or numbers: audited in the same transaction, and in effect for the next call. `write` returns how
 * many rows it changed; with none, there is nothing to audit.
 */
export const makeChange = async (
  context: TelephonyContext,
  { teamId, actor, action, ...entry }: Change,
  write: (tx: Transaction, change: number) => Promise<number>,
): Promise<number> => {
  const changed = await context.database.transaction(async (tx) => {
    // Ending the team takes the same lock, so it either shows here or removes what this adds, too.
    if (!(await lockTeam(tx, teamId))) throw callerRemoved();
    // Taken before anything is read: of several at once, each counts those before it.
    const rows = await write(tx, await takeChange(tx));
    if (rows > 0 && action !== null) await recordAudit(context, tx, teamId, actor, { action, ...entry });
    return rows;
  });
  await context.switchboard.refresh();
  return changed;
};
