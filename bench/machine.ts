import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { cpus, loadavg, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { summarize } from './summarize.ts';

const SYNCS = 50;
const LEAST_SYNC_MS = 0.01;
const BLOCK = Buffer.alloc(4096, 1);

/** How long one small durable write takes in the directory where benchmarks keep their files. */
const measureSyncMs = (): number => {
  const path = join(tmpdir(), `patchbay-bench-sync-${process.pid}`);
  const file = openSync(path, 'w');
  try {
    const times = Array.from({ length: SYNCS }, () => {
      const begun = performance.now();
      writeSync(file, BLOCK);
      fdatasyncSync(file);
      return performance.now() - begun;
    });
    return summarize(times).median;
  } finally {
    closeSync(file);
    rmSync(path);
  }
};

/** Null if files are kept on a disk. In memory, a durable write takes no time, so sharing it saves none. */
export const findNoDisk = (): string | null =>
  measureSyncMs() < LEAST_SYNC_MS ? `${tmpdir()} is not on a disk; set TMPDIR to a directory that is` : null;

/** How many processes used a processor or waited for one in the last minute. Before a run, this should be near zero. */
const describeLoad = (): string => {
  const [lastMinute = 0] = loadavg();
  const busy = lastMinute > 0.5 ? ' — OTHERS ARE BUSY HERE, the numbers will be noisy' : '';
  return `load ${lastMinute.toFixed(2)}${busy}`;
};

export const describeMachine = (): string =>
  [
    `Node ${process.versions.node}, ${process.platform} ${process.arch}`,
    `${cpus().length} cores (${cpus()[0]?.model ?? 'unknown'})`,
    `${Math.round(totalmem() / 2 ** 30)} GB`,
    `a durable 4 kB write ${measureSyncMs().toFixed(2)} ms`,
    describeLoad(),
  ].join(', ');
