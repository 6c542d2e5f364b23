import { setTimeout as sleep } from 'node:timers/promises';

/** Waits on a condition, not on time. */
export const waitUntil = async (
  what: string,
  condition: () => boolean | Promise<boolean>,
  withinMs = 20_000,
): Promise<void> => {
  const deadline = performance.now() + withinMs;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`Not within ${withinMs} ms: ${what}.`);
    await sleep(10);
  }
};
