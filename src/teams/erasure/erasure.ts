import type { AuditActor } from '../audit/audit-store.ts';
import { recordAudit } from '../audit/record-audit.ts';
import type { TeamsContext } from '../context.ts';
import { customerUnknown, firstTeamKept } from '../errors.ts';
import { findCustomerTeam } from '../operator/find-customer-team.ts';
import { getFirstTeamId } from '../records/team-store.ts';
import { ERASE_TEAMS_EVERY_MS, eraseTeams, handleEraseTeams } from './erase-teams.job.ts';
import { findByIdOrKey, markErasing } from './erasing-team-store.ts';
import type { TeamEraser } from './team-eraser.ts';

/**
 * Deletes teams.
 *
 *   exists ──begin──▶ being erased ──rounds, until nothing is left──▶ gone, the key is free again
 *
 * `begin` is one short transaction: from then on, nobody can use the team or any of its credentials, accounts, and
 * connections. Its data is erased in the background, in rounds that may be interrupted at any time. The team's row and
 * its encryption key stay until the last of its grants is revoked, for seven days at most. `erasers` erase what other
 * parts of the service have stored.
 */
export const createErasure = (context: TeamsContext, erasers: readonly TeamEraser[]) => {
  const { database, clock, jobs, vault, forgetCallers } = context;
  const eraseDue = handleEraseTeams(context, erasers);
  jobs.handle(eraseTeams, eraseDue);
  jobs.every(eraseTeams, { everyMs: ERASE_TEAMS_EVERY_MS });

  /** Begins the erasure. Has no effect if it has begun before. */
  const begin = async (actor: AuditActor, teamId: string): Promise<void> => {
    await database.transaction(async (tx) => {
      if (teamId === (await getFirstTeamId(tx))) throw firstTeamKept();
      if ((await markErasing(tx, teamId, clock.now())) > 0) {
        for (const eraser of erasers) await eraser.end?.(tx, teamId);
        // Recorded without the team's ID, so that erasing the team doesn't change this entry.
        await recordAudit(context, tx, null, actor, { action: 'team.delete' });
        tx.afterCommit(forgetCallers);
      }
      await vault.dropForeignKey(tx, teamId);
      await jobs.hasten(tx, eraseTeams);
    });
    for (const eraser of erasers) await eraser.forget?.(teamId);
  };

  return {
    /** Begins the erasure of a customer's team. Has no effect if it has begun before. */
    async begin(actor: AuditActor, key: string): Promise<void> {
      const found = await findCustomerTeam(context, database, key);
      if (!found) throw customerUnknown();
      await begin(actor, found.id);
    },
    /** Begins the erasure of any team, for the command line. Returns the team, or null if there is none. */
    async beginAny(actor: AuditActor, idOrKey: string): Promise<{ id: string; name: string } | null> {
      const found = await findByIdOrKey(database, idOrKey);
      if (!found) return null;
      await begin(actor, found.id);
      return found;
    },
    /** Runs the job once. */
    eraseDue,
  };
};

export type Erasure = ReturnType<typeof createErasure>;
