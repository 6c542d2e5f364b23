import { AsyncLocalStorage } from 'node:async_hooks';

/** What the service does by itself, webhooks among it. */
const OWN = '';

/** Shared by the whole process: whoever queues work asks whose it is, and only whoever began it knows. */
const whose = new AsyncLocalStorage<string>();

/** Everything that `work` asks for, however much later, is asked for by this team. */
export const workFor = <Result>(team: string, work: () => Result): Result => whose.run(team, work);

/**
 * A queue with a lane for each team, which take turns: whoever asks for a thousand things at once waits for them alone.
 * Every second turn is for the service itself, so that a call that comes in waits for one team at most.
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
      const lane = whose.getStore() ?? OWN;
      const items = lanes.get(lane);
      if (items) items.push(item);
      else lanes.set(lane, [item]);
      size++;
    },
    shift(): Item | undefined {
      const lane = pickLane();
      if (lane === undefined) return undefined;
      const items = lanes.get(lane) ?? [];
      // A lane that was served goes behind the others.
      lanes.delete(lane);
      const item = items.shift();
      if (items.length > 0) lanes.set(lane, items);
      wasOwn = lane === OWN;
      size--;
      return item;
    },
  };
};
