import type { DeliveryRow } from './delivery-store.ts';

type Waiting = { row: DeliveryRow; since: number };

/**
 * Deliveries that wait in memory. Teams take turns, and a team's newest delivery goes first. A flood from one team
 * delays only that team's deliveries, and only those are dropped. `createTurns` isn't used, because it serves the
 * oldest first and drops nothing.
 */
export const createWaitingByTeam = () => {
  /** Waiting deliveries by team. The next team to be served comes first, and of each team, the oldest delivery. */
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
    /** Takes up to `most` deliveries. Those of one team are in the order in which they were added. */
    take: (most: number): DeliveryRow[] =>
      Array.from({ length: Math.min(most, size) }, takeOne)
        .flat()
        .reverse(),
    /** Returns when the delivery that has waited longest was added. */
    oldestSince: (): number | null =>
      teams
        .values()
        .reduce<number | null>((oldest, [first]) => Math.min(oldest ?? Infinity, first?.since ?? Infinity), null),
    /** Drops deliveries that were both added and received before these times. Returns whether there were any. */
    dropBefore(addedBefore: number, receivedBefore: number): boolean {
      const sizeBefore = size;
      for (const [teamId, own] of teams) {
        const kept = own.findIndex(({ row, since }) => since >= addedBefore || row.receivedAt >= receivedBefore);
        drop(teamId, own, kept === -1 ? own.length : kept);
      }
      return size < sizeBefore;
    },
    /** Drops the oldest deliveries of the team with the most deliveries. */
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
