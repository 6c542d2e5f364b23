import { nextWaiting, type Patience, type Waiting, waitPatiently } from './patience.ts';

type Counter = { held: number; waiting: Waiting[] };

/** Limits how many run at a time for each key. Others wait for their turn. */
export const createSlots = (most: number, patience: Patience | null = null) => {
  const counters = new Map<string, Counter>();

  const release = (key: string, counter: Counter): void => {
    const next = nextWaiting(() => counter.waiting.shift());
    if (next) next.resolve();
    else if (--counter.held === 0) counters.delete(key);
  };

  return {
    /** Resolves once there is a slot, to a function that releases it. */
    async take(key: string): Promise<() => void> {
      const counter = counters.get(key) ?? { held: 0, waiting: [] };
      counters.set(key, counter);
      if (counter.held < most) counter.held++;
      else await waitPatiently(patience, (waiting) => counter.waiting.push(waiting));
      return () => release(key, counter);
    },
  };
};
