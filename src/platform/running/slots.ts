type Counter = { held: number; waiting: (() => void)[] };

/** Limits how many run at a time for each key. Others wait for their turn. */
export const createSlots = (most: number) => {
  const counters = new Map<string, Counter>();

  const release = (key: string, counter: Counter): void => {
    const next = counter.waiting.shift();
    if (next) next();
    else if (--counter.held === 0) counters.delete(key);
  };

  return {
    /** Resolves once there is a slot, to a function that releases it. */
    async take(key: string): Promise<() => void> {
      const counter = counters.get(key) ?? { held: 0, waiting: [] };
      counters.set(key, counter);
      if (counter.held < most) counter.held++;
      else await new Promise<void>((resolve) => counter.waiting.push(resolve));
      return () => release(key, counter);
    },
  };
};
