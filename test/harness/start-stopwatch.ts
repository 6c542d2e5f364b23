import { readFileSync } from 'node:fs';

/** How long the process has been ready to run while others had the processors. Zero where the system doesn't say. */
const readQueuedMs = (pid: number | undefined): number => {
  try {
    const [, queuedNs] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ');
    return Number(queuedNs) / 1e6;
  } catch {
    return 0;
  }
};

/**
 * The time since it was started. What this process or the other one had to wait for a processor isn't counted: it says
 * how busy the machine is, and nothing about either of them. They often wait at the same time, so the longer wait counts.
 */
export const startStopwatch = (other: { pid?: number | undefined } = process): (() => number) => {
  const pids = [process.pid, other.pid];
  const begun = performance.now();
  const before = pids.map(readQueuedMs);
  /** So far: of a process that has ended, what it was when it was last read. */
  let queuedMs = 0;
  return () => {
    queuedMs = Math.max(queuedMs, ...pids.map((pid, index) => readQueuedMs(pid) - (before[index] ?? 0)));
    return performance.now() - begun - queuedMs;
  };
};
