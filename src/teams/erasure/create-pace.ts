import { setTimeout as sleep } from 'node:timers/promises';
import type { ErasurePace } from './team-eraser.ts';

const SLICE_MS = 10_000;
const MOST_REST_MS = 50;

/** It's another team's turn. What is left of this one waits for its next. */
export class SliceOver extends Error {
  override readonly name = 'SliceOver';
}

/** Rests as long as the piece before it took. */
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
