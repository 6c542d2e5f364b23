/**
 * Keeps items by owner, and finds the owner with the most items without checking all owners, because there may be
 * thousands.
 */
export const createTallyByOwner = <Item extends { whose: string }>() => {
  /** The items of each owner, oldest first. */
  const items = new Map<string, Set<Item>>();
  /** The owners by number of items: `ranks[2]` are the owners with two items. */
  const ranks: (Set<string> | undefined)[] = [];

  const move = (whose: string, from: number, to: number): void => {
    ranks[from]?.delete(whose);
    if (to === 0) items.delete(whose);
    else ranks[to] = (ranks[to] ?? new Set()).add(whose);
  };

  return {
    add(item: Item): void {
      const own = items.get(item.whose) ?? new Set();
      items.set(item.whose, own.add(item));
      move(item.whose, own.size - 1, own.size);
    },
    /** Removes an item. Does nothing if it isn't there. */
    remove(item: Item): void {
      const own = items.get(item.whose);
      if (own?.delete(item)) move(item.whose, own.size + 1, own.size);
    },
    /** Finds the first item that fits, starting with the oldest item of the owner who has the most. */
    find(fits: (item: Item) => boolean): Item | undefined {
      for (const rank of ranks.toReversed())
        for (const whose of rank ?? []) for (const item of items.get(whose) ?? []) if (fits(item)) return item;
      return undefined;
    },
  };
};
