// The test runner follows every promise from its beginning to its end, only to know which test an uncaught error belongs
// to. That takes up to a tenth of the processor time, so it ends when the tests begin (declaring them depends on it). An
// uncaught error then fails the process instead of its test, and is printed here. A file that runs alone is tracked.
import asyncHooks, { type AsyncHook } from 'node:async_hooks';
import { inspect } from 'node:util';

const { createHook } = asyncHooks;
let tracking: AsyncHook | undefined;

// The first hook of the process is the runner's, if this is loaded before `node:test`.
asyncHooks.createHook = (callbacks) => {
  asyncHooks.createHook = createHook;
  tracking = createHook(callbacks);
  return tracking;
};

const print = (error: unknown): void => void process.stderr.write(`Uncaught: ${inspect(error)}\n`);

export const stopTracking = (): void => {
  if (!tracking) return;
  tracking.disable();
  tracking = undefined;
  process.on('uncaughtExceptionMonitor', print);
  process.on('unhandledRejection', print);
};
