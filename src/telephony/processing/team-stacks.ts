import type { DeliveryRow } from './delivery-store.ts';

type Waiting = { row: DeliveryRow; since: number };

/**
 * The deliveries that wait in memory, a stack for each team. Teams take turns, and the newest of a team comes first, so
 * a team with a flood delays and loses only its own.
 */
export const createTeamStacks = () => {
  /** The team whose turn is next comes first. In a stack, the oldest does. */
  const stacks = new Map<string, Waiting[]>();
  let size = 0;

  const drop = (teamId: string, stack: Waiting[], count: number): void => {
    size -= stack.splice(0, count).length;
    if (stack.length === 0) stacks.delete(teamId);
  };

  const takeOne = (): DeliveryRow[] => {
    for (const [teamId, stack] of stacks) {
      const taken = stack.pop();
      stacks.delete(teamId);
      if (stack.length > 0) stacks.set(teamId, stack);
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
      const stack = stacks.get(row.teamId);
      if (stack) stack.push(waiting);
      else stacks.set(row.teamId, [waiting]);
      size++;
    },
    /** In the order in which they came, for each team. */
    take: (most: number): DeliveryRow[] =>
      Array.from({ length: Math.min(most, size) }, takeOne)
        .flat()
        .reverse(),
    /** When the one that has waited longest was added. */
    oldestSince: (): number | null =>
      stacks
        .values()
        .reduce<number | null>((oldest, [first]) => Math.min(oldest ?? Infinity, first?.since ?? Infinity), null),
    /** Drops what was added and received before that. Returns whether there was any. */
    dropBefore(addedBefore: number, receivedBefore: number): boolean {
      const sizeBefore = size;
      for (const [teamId, stack] of stacks) {
        const kept = stack.findIndex(({ row, since }) => since >= addedBefore || row.receivedAt >= receivedBefore);
        drop(teamId, stack, kept === -1 ? stack.length : kept);
      }
      return size < sizeBefore;
    },
    /** Drops the oldest of the team that has the most. */
    dropOfLargest(count: number): void {
      let largest: [string, Waiting[]] = ['', []];
      for (const entry of stacks) if (entry[1].length > largest[1].length) largest = entry;
      drop(...largest, count);
    },
    clear(): void {
      stacks.clear();
      size = 0;
    },
  };
};
