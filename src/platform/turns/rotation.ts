import { currentWork, OWN } from './owner.ts';

/**
 * A queue of items by owner. Owners take turns, so an owner with a thousand items only delays itself. Every second turn
 * goes to the service's own items, which therefore wait for one other owner at most.
 */
export const createRotation = <Item>() => {
  /** Waiting items by owner, in the order of the owners' turns. */
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
    /** Takes the next item. Skips owners for whom `isHeld` is true, which keep their place. */
    shift(isHeld: (owner: string) => boolean = () => false): Item | undefined {
      const owner = pickOwner(isHeld);
      if (owner === undefined) return undefined;
      const own = items.get(owner) ?? [];
      // An owner that has had its turn goes to the back.
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
