import { currentWork, OWN } from './owner.ts';

/**
 * A queue of items by owner. Owners take turns, so an owner with a thousand items only delays itself. Every second turn
 * goes to the service itself, so the first of its items waits for one other item at most.
 */
export const createRotation = <Item>() => {
  /** Waiting items by owner. The owner who is next comes first. */
  const items = new Map<string, Item[]>();
  let wasOwn = false;
  let size = 0;

  const pickOwner = (isHeld: (owner: string) => boolean): string | undefined => {
    const own = items.has(OWN) && !isHeld(OWN) ? OWN : undefined;
    if (own !== undefined && !wasOwn) return own;
    for (const owner of items.keys()) if (owner !== OWN && !isHeld(owner)) return owner;
    return own;
  };

  return {
    get size(): number {
      return size;
    },
    /** Adds an item of the owner of the current work. */
    push(item: Item): void {
      const { owner } = currentWork();
      const known = items.get(owner);
      if (known) known.push(item);
      else items.set(owner, [item]);
      size++;
    },
    /** Takes the next item. Skips owners for whom `isHeld` is true. They keep their position in the queue. */
    shift(isHeld: (owner: string) => boolean = () => false): Item | undefined {
      const owner = pickOwner(isHeld);
      if (owner === undefined) return undefined;
      const own = items.get(owner) ?? [];
      // An owner whose item was taken goes to the back of the queue.
      items.delete(owner);
      const item = own.shift();
      if (own.length > 0) items.set(owner, own);
      wasOwn = owner === OWN;
      size--;
      return item;
    },
  };
};

export type Rotation<Item> = ReturnType<typeof createRotation<Item>>;
