import type { Database } from '../../platform/index.ts';
import type { Vault } from '../../vault/index.ts';
import { type CallQuery, printCursor, toCallFilter } from './call-query.ts';
import { type ListedCall, listCalls } from './call-store.ts';

/** One page of the team's calls, newest first, and the cursor for the next; null if there are no more. */
export const listCallPage = async (
  { database, vault }: { database: Database; vault: Vault },
  teamId: string,
  query: CallQuery,
  limit: number,
): Promise<{ calls: ListedCall[]; nextCursor: string | null }> => {
  const rows = await listCalls(database, teamId, await toCallFilter(vault, teamId, query), limit + 1);
  const calls = rows.slice(0, limit);
  const last = calls.at(-1);
  return { calls, nextCursor: rows.length > limit && last ? printCursor(last) : null };
};
