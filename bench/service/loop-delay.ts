import { monitorEventLoopDelay } from 'node:perf_hooks';

const RESOLUTION_MS = 1;
const NANOSECONDS_PER_MS = 1e6;

export type LoopDelay = { p999: number; max: number };

/** Converts to milliseconds, without the monitor's own interval, which isn't a delay. */
const toMs = (nanoseconds: number): number => Math.max(0, nanoseconds / NANOSECONDS_PER_MS - RESOLUTION_MS);

/** How late the event loop of this process was since the last call, in milliseconds. */
export const watchLoopDelay = (): (() => LoopDelay) => {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  return () => {
    const taken = { p999: toMs(delay.percentile(99.9)), max: toMs(delay.max) };
    delay.reset();
    return taken;
  };
};
