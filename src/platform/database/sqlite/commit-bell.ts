import { setTimeout as sleep } from 'node:timers/promises';

/** How many writes have ended, shared by all threads that write to one file. */
export type CommitCount = Int32Array<SharedArrayBuffer>;

export const createCommitCount = (): CommitCount => new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

/**
 * Rings when any thread of this process has finished a write, so that a writer that found the file locked can continue
 * immediately. Other processes can't ring, so waiting also has a time limit.
 */
export const createCommitBell = (count: CommitCount) => ({
  ring(): void {
    Atomics.add(count, 0, 1);
    Atomics.notify(count, 0);
  },
  /** Call this before trying to write, so that the returned function doesn't miss a write that ends in between. */
  listen(): (mostMs: number) => Promise<unknown> {
    const seen = Atomics.load(count, 0);
    return (mostMs) => Promise.race([Atomics.waitAsync(count, 0, seen, mostMs).value, sleep(mostMs)]);
  },
});
