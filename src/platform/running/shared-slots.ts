import { createLanes } from './lanes.ts';
import { nextWaiting, type Patience, type Waiting, waitPatiently } from './patience.ts';

/** Limits how much runs at once. Owners take turns for free slots, no matter how often one of them asks. */
export const createSharedSlots = (most: number, patience: Patience | null = null) => {
  const waiting = createLanes<Waiting>();
  let held = 0;

  return {
    get waiting(): number {
      return waiting.size;
    },
    /** Await it, and release it afterward. Null if there's a free slot already. */
    take(): Promise<void> | null {
      if (held >= most) return waitPatiently(patience, waiting.push);
      held++;
      return null;
    },
    release(): void {
      const next = nextWaiting(waiting.shift);
      if (next) next.resolve();
      else held--;
    },
  };
};
