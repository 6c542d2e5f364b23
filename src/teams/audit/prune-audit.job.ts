import { defineJob } from '../../jobs/index.ts';
import { Type } from '../../platform/index.ts';
import type { TeamsContext } from '../context.ts';
import { deleteAuditBeyond } from './audit-limit-store.ts';
import { deleteAuditBefore } from './audit-store.ts';

const DAY_MS = 24 * 3_600_000;

/** A failed run isn't retried, because the next run continues where it stopped. */
export const pruneAudit = defineJob({
  name: 'prune-audit',
  payload: Type.Object({}),
  attempts: 1,
  timeoutMs: 30 * 60_000,
});

/** For all teams and the operator: deletes entries that are too old, and each team's entries beyond its limit. */
export const handlePruneAudit =
  ({ database, clock, auditDays, limits }: Pick<TeamsContext, 'database' | 'clock' | 'auditDays' | 'limits'>) =>
  async (): Promise<void> => {
    await deleteAuditBefore(database, clock.now() - auditDays * DAY_MS);
    await deleteAuditBeyond(database, limits.auditEntries);
  };
