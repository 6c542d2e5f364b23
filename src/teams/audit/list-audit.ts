import { type PageQuery, type Queries, readPage } from '../../platform/index.ts';
import { cursorInvalid } from '../errors.ts';
import { type AuditEvent, listAuditEvents } from '../records/audit-store.ts';

export type AuditPage = { events: AuditEvent[]; nextCursor: string | null };

/** What changed in the team, newest first, one page at a time. */
export const listAudit = async (
  { database }: { database: Queries },
  teamId: string,
  query: PageQuery,
): Promise<AuditPage> => {
  const { rows, nextCursor } = await readPage(query, {
    read: (before, limit) => listAuditEvents(database, teamId, before, limit),
    keyOf: ({ id }) => id,
    refuseCursor: cursorInvalid,
  });
  return { events: rows, nextCursor };
};
