import { setTimeout as sleep } from 'node:timers/promises';
import type { ErasurePace } from './team-eraser.ts';

const SLICE_MS = 10_000;
const MOST_REST_MS = 50;

/** Thrown when a team's time slice is over. What is left to erase waits for the team's next slice. */
export class SliceOver extends Error {
  override readonly name = 'SliceOver';
}

/** Waits as long as the previous piece of work took, so that other work can run. Ends the slice when its time is up. */
export const createErasurePace = (signal: AbortSignal): ErasurePace => {
  const endsAt = performance.now() + SLICE_MS;
  let since = performance.now();
  return async () => {
    signal.throwIfAborted();
    const now = performance.now();
    if (now >= endsAt) throw new SliceOver();
    await sleep(Math.min(now - since, MOST_REST_MS));
    since = performance.now();
  };
};
