import type { TestContext } from 'node:test';

/** For one test: timers and `performance.now` move only when told to. */
export const moveTime = (context: TestContext) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  let now = 0;
  context.mock.method(performance, 'now', () => now);
  return {
    pass(ms: number): void {
      now += ms;
      context.mock.timers.tick(ms);
    },
    /** Holds the event loop for so long: no timer fires meanwhile. */
    standStill(ms: number): void {
      now += ms;
    },
    /** What was due meanwhile fires now. */
    catchUp(ms: number): void {
      context.mock.timers.tick(ms);
    },
  };
};
