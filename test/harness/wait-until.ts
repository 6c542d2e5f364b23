import { setTimeout as sleep } from 'node:timers/promises';
import { startStopwatch } from './start-stopwatch.ts';

const SHORTEST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 100;

/**
 * Waits on a condition, not on time, and not for a busy machine either: name the other process if it depends on one.
 * Whatever takes long is checked less often, because a check isn't free.
 */
export const waitUntil = async (
  what: string,
  condition: () => boolean | Promise<boolean>,
  withinMs = 20_000,
  other?: { pid?: number | undefined },
): Promise<void> => {
  const readPassed = startStopwatch(other);
  while (!(await condition())) {
    const passed = readPassed();
    if (passed > withinMs) throw new Error(`Not within ${withinMs} ms: ${what}.`);
    await sleep(Math.min(Math.max(passed / 20, SHORTEST_PAUSE_MS), LONGEST_PAUSE_MS));
  }
};
