import type { Queries } from '../../platform/index.ts';
import { planRemovals, type Removal } from './plan-removals.ts';
import { countByCaller, deleteGroups, listOldestGroups } from './request-group-store.ts';

/** How many requests of a team are kept. */
export const MOST_REQUESTS = 100_000;
/** How many groups are deleted at once. */
const PIECE = 200;

/** Deletes the oldest groups of a team, or of one caller, until this many requests are gone. Returns how many are. */
const deleteOldest = async (queries: Queries, teamId: string, { caller, most }: Removal): Promise<number> => {
  let deleted = 0;
  while (deleted < most) {
    const ids: string[] = [];
    for (const { id, number } of await listOldestGroups(queries, teamId, caller, PIECE)) {
      if (deleted >= most) break;
      ids.push(id);
      deleted += number;
    }
    if (ids.length === 0) return deleted;
    await deleteGroups(queries, teamId, ids);
  }
  return deleted;
};

/** Deletes a team's oldest requests beyond the limit. */
export const limitRequests = async (
  queries: Queries,
  teamId: string,
  added: ReadonlyMap<string, number>,
): Promise<void> => {
  const removals = planRemovals(await countByCaller(queries, teamId), added, MOST_REQUESTS);
  for (const removal of removals) await deleteOldest(queries, teamId, removal);
};
