import { setTimeout as sleep } from 'node:timers/promises';

/** Shared by the threads that write to one file: how many writes have ended. */
export type CommitCount = Int32Array<SharedArrayBuffer>;

export const createCommitCount = (): CommitCount => new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

/**
 * Rings when a write of any thread of this process has ended, so that whoever found the file locked goes on at once. A
 * process beside this one cannot ring: it is waited for by the clock.
 */
export const createCommitBell = (count: CommitCount) => ({
  ring(): void {
    Atomics.add(count, 0, 1);
    Atomics.notify(count, 0);
  },
  /** What to wait with: taken before the try that may fail, so that no end of a write is missed in between. */
  listen(): (mostMs: number) => Promise<unknown> {
    const seen = Atomics.load(count, 0);
    return (mostMs) => Promise.race([Atomics.waitAsync(count, 0, seen, mostMs).value, sleep(mostMs)]);
  },
});
