// Turns off the test runner's tracking of promises, except while a file declares its tests, which depends on it. The
// runner follows every promise from its beginning to its end, only to know which test an uncaught error belongs to,
// which takes up to a tenth of the processor time. Without it, an uncaught error fails the process instead of its test,
// and is printed here. A run of only a few files is tracked all the time.
import asyncHooks, { type AsyncHook } from 'node:async_hooks';
import { inspect } from 'node:util';

const { createHook } = asyncHooks;
let tracking: AsyncHook | undefined;

// Catch the runner's hook, which is the first of the process if this file is loaded before `node:test`.
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
