import type { Queries } from '../platform/index.ts';
import { type AuditEvent, listAuditEvents } from './audit-store.ts';
import { cursorInvalid } from './errors.ts';

const FIRST_PAGE = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export type AuditPage = { events: AuditEvent[]; nextCursor: string | null };

const encodeCursor = (id: string): string => Buffer.from(id).toString('base64url');

const decodeCursor = (cursor: string | undefined): string => {
  if (cursor === undefined) return FIRST_PAGE;
  const id = Buffer.from(cursor, 'base64url').toString();
  if (!UUID.test(id)) throw cursorInvalid();
  return id;
};

/** What was changed in the team, newest first, a page at a time. */
export const listAudit = async (
  { database }: { database: Queries },
  teamId: string,
  { limit, cursor }: { limit: number; cursor?: string | undefined },
): Promise<AuditPage> => {
  const found = await listAuditEvents(database, teamId, decodeCursor(cursor), limit + 1);
  const events = found.slice(0, limit);
  const last = events.at(-1);
  return { events, nextCursor: found.length > limit && last ? encodeCursor(last.id) : null };
};
