import type { Queries } from '../../platform/index.ts';
import { type CallerCount, countByCaller, deleteGroups, listOldestGroups } from './request-group-store.ts';

/** How many requests of a team are kept. */
export const MOST_REQUESTS = 100_000;
/** A caller with more requests than this pushes out only its own. */
const SHARE = 0.1;
/** How many groups are deleted at once. */
const PIECE = 200;

type Removal = { teamId: string; caller: string | null; most: number };

/** Deletes the oldest groups of a team, or of one caller, until this many requests are gone. Returns how many are. */
const deleteOldest = async (queries: Queries, { teamId, caller, most }: Removal): Promise<number> => {
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

/** What to delete of a team that has too many requests. `added` says how many each caller has added recently. */
export const planRemovals = (
  counts: readonly CallerCount[],
  added: ReadonlyMap<string, number>,
  most = MOST_REQUESTS,
): { caller: string | null; most: number }[] => {
  let excess = counts.reduce((sum, { number }) => sum + number, 0) - most;
  const large = counts.filter(({ number }) => number > most * SHARE).toSorted((a, b) => b.number - a.number);
  const removals: { caller: string | null; most: number }[] = [];
  const remove = (caller: string | null, wanted: number): void => {
    const number = Math.min(excess, wanted);
    if (number <= 0) return;
    excess -= number;
    removals.push({ caller, most: number });
  };
  for (const { caller, number } of large) remove(caller, Math.min(added.get(caller) ?? 0, number - most * SHARE));
  // What the small callers have added pushes out the oldest requests of those who have most, or else the oldest of all.
  for (const { caller, number } of large) {
    const left = number - (removals.find((removal) => removal.caller === caller)?.most ?? 0);
    remove(caller, left - most * SHARE);
  }
  remove(null, excess);
  return removals;
};

/** Deletes a team's oldest requests beyond the limit. */
export const limitRequests = async (
  queries: Queries,
  teamId: string,
  added: ReadonlyMap<string, number>,
): Promise<void> => {
  const removals = planRemovals(await countByCaller(queries, teamId), added);
  for (const { caller, most } of removals) await deleteOldest(queries, { teamId, caller, most });
};
