import { createLanes } from './lanes.ts';
import { within } from './within.ts';

type Waiting = { resolve(): void; gaveUp: boolean };

/** How long to wait for a slot, and the error after that. */
export type Patience = { ms: number; giveUp(): Error };

/** Limits how much runs at once. Owners take turns for free slots, no matter how often one of them asks. */
export const createSharedSlots = (most: number, patience: Patience | null = null) => {
  const waiting = createLanes<Waiting>();
  let held = 0;

  const wait = (): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const place: Waiting = { gaveUp: false, resolve };
    waiting.push(place);
    if (!patience) return promise;
    const onLate = (): never => {
      place.gaveUp = true;
      throw patience.giveUp();
    };
    return within(patience.ms, promise, { onLate });
  };

  return {
    get waiting(): number {
      return waiting.size;
    },
    /** Await it, and release it afterward. Null if there's a free slot already. */
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
