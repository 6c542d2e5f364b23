import { defineJob } from '../../jobs/index.ts';
import { type Clock, type Database, Type } from '../../platform/index.ts';
import { deleteAuditBefore } from '../records/audit-store.ts';

const DAY_MS = 24 * 3_600_000;

export const PRUNE_AUDIT_EVERY_MS = 3_600_000;

/** What is not done in one run waits for the next, so a failed run is not tried again. */
export const pruneAudit = defineJob({
  name: 'prune-audit',
  payload: Type.Object({}),
  attempts: 1,
  timeoutMs: 30 * 60_000,
});

/** Of all teams, and of the operator: what is older than the operator wants it kept. */
export const handlePruneAudit =
  ({ database, clock, auditDays }: { database: Database; clock: Clock; auditDays: number }) =>
  async (): Promise<void> => {
    await deleteAuditBefore(database, clock.now() - auditDays * DAY_MS);
  };
