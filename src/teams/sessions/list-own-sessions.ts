import { type Clock, type ListPage, type PageQuery, type Queries, readPage } from '../../platform/index.ts';
import { cursorInvalid } from '../errors.ts';
import type { SessionHolder } from '../records/membership-store.ts';
import { listSessions, type Session } from '../records/session-store.ts';

/** A page of the caller's own valid sessions, newest first. */
export const listOwnSessions = (
  { database, clock }: { database: Queries; clock: Clock },
  caller: SessionHolder,
  query: PageQuery,
): Promise<ListPage<Session>> =>
  readPage(query, {
    read: (before, limit) => listSessions(database, caller, clock.now(), before, limit),
    keyOf: ({ id }) => id,
    refuseCursor: cursorInvalid,
  });
