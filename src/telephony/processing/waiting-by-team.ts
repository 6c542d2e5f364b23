import type { DeliveryRow } from './delivery-store.ts';

type Waiting = { row: DeliveryRow; since: number };

/**
 * The deliveries that wait in memory. Teams take turns, and the newest of a team comes first, so a team with a flood
 * delays and loses only its own. Not `createTurns`, which serves the oldest first and drops nothing.
 */
export const createWaitingByTeam = () => {
  /** The team whose turn is next comes first. A team's oldest delivery comes first. */
  const teams = new Map<string, Waiting[]>();
  let size = 0;

  const drop = (teamId: string, own: Waiting[], count: number): void => {
    size -= own.splice(0, count).length;
    if (own.length === 0) teams.delete(teamId);
  };

  const takeOne = (): DeliveryRow[] => {
    for (const [teamId, own] of teams) {
      const taken = own.pop();
      teams.delete(teamId);
      if (own.length > 0) teams.set(teamId, own);
      size--;
      return taken ? [taken.row] : [];
    }
    return [];
  };

  return {
    get size(): number {
      return size;
    },
    push(row: DeliveryRow): void {
      const waiting = { row, since: performance.now() };
      const own = teams.get(row.teamId);
      if (own) own.push(waiting);
      else teams.set(row.teamId, [waiting]);
      size++;
    },
    /** In the order in which they came, for each team. */
    take: (most: number): DeliveryRow[] =>
      Array.from({ length: Math.min(most, size) }, takeOne)
        .flat()
        .reverse(),
    /** When the one that has waited longest was added. */
    oldestSince: (): number | null =>
      teams
        .values()
        .reduce<number | null>((oldest, [first]) => Math.min(oldest ?? Infinity, first?.since ?? Infinity), null),
    /** Drops what was added and received before that. Returns whether there was any. */
    dropBefore(addedBefore: number, receivedBefore: number): boolean {
      const sizeBefore = size;
      for (const [teamId, own] of teams) {
        const kept = own.findIndex(({ row, since }) => since >= addedBefore || row.receivedAt >= receivedBefore);
        drop(teamId, own, kept === -1 ? own.length : kept);
      }
      return size < sizeBefore;
    },
    /** Drops the oldest of the team that has the most. */
    dropOfLargest(count: number): void {
      let largest: [string, Waiting[]] = ['', []];
      for (const entry of teams) if (entry[1].length > largest[1].length) largest = entry;
      drop(...largest, count);
    },
    clear(): void {
      teams.clear();
      size = 0;
    },
  };
};
