// Loaded before the service: SIGUSR2 stands for the ten seconds that a service gets to finish what it has begun.
const DRAIN_MS = 10_000;

const { setTimeout: start, clearTimeout: stop } = globalThis;
const waiting = new Map<unknown, () => void>();

const setTimeoutNoted = (work: (...given: unknown[]) => void, ms?: number, ...given: unknown[]): NodeJS.Timeout => {
  const timer = start(work, ms, ...given);
  if (ms === DRAIN_MS) waiting.set(timer, () => work(...given));
  return timer;
};
const clearTimeoutNoted = (timer?: NodeJS.Timeout): void => {
  waiting.delete(timer);
  stop(timer);
};
Object.assign(globalThis, { setTimeout: setTimeoutNoted, clearTimeout: clearTimeoutNoted });

process.on('SIGUSR2', () => {
  for (const work of waiting.values()) work();
  waiting.clear();
});
