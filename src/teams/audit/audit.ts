import type { Caller } from '../../http/index.ts';
import type { PageQuery } from '../../platform/index.ts';
import type { TeamsContext } from '../context.ts';
import { readIdPage } from '../records/read-id-page.ts';
import { listAuditEvents } from './audit-store.ts';

export const createAudit = ({ database }: TeamsContext) => ({
  /** Lists what changed in the team, newest first. Only admins see IP addresses, which can reveal where people are. */
  list: ({ teamId, role }: Pick<Caller, 'teamId' | 'role'>, query: PageQuery) =>
    readIdPage(query, async (before, limit) => {
      const events = await listAuditEvents(database, teamId, before, limit);
      return role === 'admin' ? events : events.map((event) => ({ ...event, address: null }));
    }),
});

export type Audit = ReturnType<typeof createAudit>;
