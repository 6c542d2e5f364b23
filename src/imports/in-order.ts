const AT_ONCE = 4;

/**
 * Works on a few items at a time and returns the results in the order of the items. If an item throws, begins no
 * others, waits for those in progress, and throws.
 */
export const inOrder = async <Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
  onDone: (done: number) => void,
): Promise<Result[]> => {
  const results: Result[] = [];
  const waiting = items.entries();
  let done = 0;
  let stopped = false;
  const workOn = async (): Promise<void> => {
    for (const [index, item] of waiting) {
      if (stopped) return;
      results[index] = await work(item).catch((error) => {
        stopped = true;
        throw error;
      });
      onDone(++done);
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: AT_ONCE }, workOn));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
  return results;
};
