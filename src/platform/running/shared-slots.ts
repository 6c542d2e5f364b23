import { createLanes } from './lanes.ts';

type Waiting = { resolve(): void; gaveUp: boolean };

/** How long somebody waits for a slot, and what they are told then. */
export type Patience = { ms: number; giveUp(): Error };

/** So many at a time in all. Teams take turns for what becomes free, however often one of them asks. */
export const createSharedSlots = (most: number, patience: Patience | null = null) => {
  const waiting = createLanes<Waiting>();
  let held = 0;

  const wait = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const place: Waiting = { gaveUp: false, resolve };
      waiting.push(place);
      if (!patience) return;
      const timer = setTimeout(() => {
        place.gaveUp = true;
        reject(patience.giveUp());
      }, patience.ms);
      place.resolve = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  return {
    get waiting(): number {
      return waiting.size;
    },
    /** To be awaited, and released afterward; null where there is a slot at once. */
    take(): Promise<void> | null {
      if (held >= most) return wait();
      held++;
      return null;
    },
    release(): void {
      let next = waiting.shift();
      while (next?.gaveUp) next = waiting.shift();
      if (next) next.resolve();
      else held--;
    },
  };
};
