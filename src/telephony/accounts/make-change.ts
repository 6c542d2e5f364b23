import type { Transaction } from '../../platform/index.ts';
import { type AuditActor, callerRemoved, lockAdmin, lockTeam, recordAudit } from '../../teams/index.ts';
import type { TelephonyContext } from '../context.ts';
import { takeChange } from './account-store.ts';

/** An entry for the audit log. `action` is null if the change is part of a larger action, which has its own entry. */
type Change = {
  teamId: string;
  actor: AuditActor;
  action: string | null;
  target: string;
  detail?: Record<string, unknown>;
};

/**
 * Changes accounts or numbers. The change is audited in the same transaction, and in effect for the next call. `write`
 * returns how many rows it changed. If it changed none, nothing is audited.
 */
export const makeChange = async (
  context: TelephonyContext,
  { teamId, actor, action, ...entry }: Change,
  write: (tx: Transaction, change: number) => Promise<number>,
): Promise<number> => {
  const changed = await context.database.transaction(async (tx) => {
    // Erasing a team takes the same lock. So either the team is already gone here, or its erasure starts after this
    // commit and also removes what is added now.
    if (!(await lockTeam(tx, teamId))) throw callerRemoved();
    await lockAdmin(tx, teamId, actor);
    // `takeChange` locks the counter until this commit, so concurrent changes run one after another. That's why it
    // comes before `write`: what `write` reads, such as the number of accounts, can't change meanwhile.
    const rows = await write(tx, await takeChange(tx));
    if (rows > 0 && action !== null) await recordAudit(context, tx, teamId, actor, { action, ...entry });
    return rows;
  });
  await context.switchboard.refresh();
  return changed;
};
