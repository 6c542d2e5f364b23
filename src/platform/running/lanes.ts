import { currentWork, OWN } from './work-for.ts';

/**
 * A queue with one lane per owner. Lanes take turns, so an owner with a thousand requests only delays itself. Every second
 * turn goes to the service's own lane, which therefore waits for one other owner at most.
 */
export const createLanes = <Item>() => {
  const lanes = new Map<string, Item[]>();
  let wasOwn = false;
  let size = 0;

  const pickLane = (): string | undefined => {
    const own = lanes.has(OWN);
    if (own && (!wasOwn || lanes.size === 1)) return OWN;
    for (const lane of lanes.keys()) if (lane !== OWN) return lane;
    return undefined;
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
    shift(): Item | undefined {
      const lane = pickLane();
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
