// The test runner follows every promise from its beginning to its end, only to know which test an uncaught error belongs
// to. That takes up to a tenth of the processor time, so it only happens while a file declares its tests, which depends on
// it. At other times, an uncaught error fails the process instead of its test, and is printed here. A file that runs alone
// is tracked.
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

process.on('uncaughtExceptionMonitor', print);
process.on('unhandledRejection', print);

export const startTracking = (): void => void tracking?.enable();
export const stopTracking = (): void => void tracking?.disable();
