import { currentWork, OWN } from './work-for.ts';

/**
 * A queue with one lane per owner. Lanes take turns, so an owner with a thousand requests only delays itself. Every second
 * turn goes to the service's own lane, which therefore waits for one other owner at most.
 */
export const createLanes = <Item>() => {
  const lanes = new Map<string, Item[]>();
  let wasOwn = false;
  let size = 0;

  const pickLane = (isHeld: (owner: string) => boolean): string | undefined => {
    const own = lanes.has(OWN) && !isHeld(OWN) ? OWN : undefined;
    if (own !== undefined && !wasOwn) return own;
    for (const lane of lanes.keys()) if (lane !== OWN && !isHeld(lane)) return lane;
    return own;
  };

  return {
    get size(): number {
      return size;
    },
    push(item: Item): void {
      const lane = currentWork().owner;
      const items = lanes.get(lane);
      if (items) items.push(item);
      else lanes.set(lane, [item]);
      size++;
    },
    /** Lanes of owners that are held keep their place. */
    shift(isHeld: (owner: string) => boolean = () => false): Item | undefined {
      const lane = pickLane(isHeld);
      if (lane === undefined) return undefined;
      const items = lanes.get(lane) ?? [];
      // A lane that has had its turn goes to the back.
      lanes.delete(lane);
      const item = items.shift();
      if (items.length > 0) lanes.set(lane, items);
      wasOwn = lane === OWN;
      size--;
      return item;
    },
  };
};
