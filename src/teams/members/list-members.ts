import { type ListPage, type PageQuery, type Queries, readPage } from '../../platform/index.ts';
import { cursorInvalid } from '../errors.ts';
import { listUsers, type User } from '../records/user-store.ts';

/** A page of a team's members, oldest first. */
export const listMembers = (queries: Queries, teamId: string, query: PageQuery): Promise<ListPage<User>> =>
  readPage(query, {
    read: (after, limit) => listUsers(queries, teamId, after, limit),
    keyOf: ({ id }) => id,
    refuseCursor: cursorInvalid,
  });
