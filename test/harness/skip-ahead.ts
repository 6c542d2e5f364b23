const now = performance.now.bind(performance);
let skippedMs = 0;

/**
 * Lets time pass for what this process remembers for a moment, as `performance.now` measures it. Timers don't notice, and
 * neither does a test clock. It never goes back, so nothing seems to come from the future afterward.
 */
export const skipAhead = (ms: number): void => {
  skippedMs += ms;
  performance.now = () => now() + skippedMs;
};
