import type { Readable } from 'node:stream';
import type { Caller } from '../../http/index.ts';
import { type ListPage, toCursor } from '../../platform/index.ts';
import { type ListedEvent, listAuditEvents } from '../audit/audit-list-store.ts';
import type { TeamsContext } from '../context.ts';
import { tooManyAuditExports } from '../errors.ts';
import { readIdPage } from '../records/read-id-page.ts';
import { createExports } from '../sessions/exports.ts';
import { refuseDemoted } from '../sessions/refuse-demoted.ts';
import { AUDIT_CSV, type AuditCsv } from './audit-csv.ts';
import { type AuditPageQuery, toAuditSearch } from './audit-query.ts';

type Reader = Pick<Caller, 'teamId' | 'role'>;

export const createAudit = (context: TeamsContext) => {
  const { database } = context;
  const exportRows = createExports(context, tooManyAuditExports);

  /** Lists what changed in the team, newest first. Only admins see IP addresses, which can reveal where people are. */
  const list = async (
    { teamId, role }: Reader,
    { limit, cursor, ...query }: AuditPageQuery,
  ): Promise<ListPage<ListedEvent>> => {
    let stoppedAt: string | null = null;
    const page = await readIdPage({ limit, cursor }, async (after, most) => {
      const { events, end } = await listAuditEvents(database, teamId, toAuditSearch(query, after), most);
      stoppedAt = end;
      return role === 'admin' ? events : events.map((event) => ({ ...event, address: null }));
    });
    return stoppedAt === null ? page : { ...page, nextCursor: page.nextCursor ?? toCursor(stoppedAt) };
  };

  return {
    list,

    /** Exports entries as a file, newest first. An invalid query is refused before the file starts. */
    async writeCsv(
      caller: Caller,
      { limit, ...query }: Partial<AuditPageQuery>,
      { head, toLines }: AuditCsv = AUDIT_CSV,
    ): Promise<Readable> {
      let { cursor } = query;
      await list(caller, { ...query, limit: 1 });
      return exportRows(caller, {
        head,
        most: limit,
        async readPage(most) {
          // An admin's file has IP addresses.
          await refuseDemoted(database, caller);
          const { rows, nextCursor } = await list(caller, { ...query, limit: most, cursor });
          cursor = nextCursor ?? undefined;
          return { lines: await toLines(rows), rows: rows.length, isLast: nextCursor === null };
        },
      });
    },
  };
};

export type Audit = ReturnType<typeof createAudit>;
