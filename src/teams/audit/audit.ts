import type { PageQuery } from '../../platform/index.ts';
import { listAuditEvents } from '../records/audit-store.ts';
import type { TeamsContext } from '../records/context.ts';
import { readIdPage } from '../records/read-id-page.ts';

export const createAudit = ({ database }: TeamsContext) => ({
  /** What changed in the team, newest first. */
  list: (teamId: string, query: PageQuery) =>
    readIdPage(query, (before, limit) => listAuditEvents(database, teamId, before, limit)),
});

export type Audit = ReturnType<typeof createAudit>;
