import { setTimeout as sleep } from 'node:timers/promises';
import type { Table, Tools } from '../benchmark.ts';
import { summarize } from '../summarize.ts';
import { countUnprocessed, storeUnprocessed } from '../telephony/unprocessed-deliveries.ts';
import { SIZE } from './size.ts';
import type { Stage } from './stage.ts';

export type Task = {
  name: string;
  /** It can be repeated, and is, until there is enough to measure. */
  repeats?: true;
  /** Measured with nothing waiting, or with what the task itself brings. */
  withoutBacklog?: true;
  /** The first of a start: how long others have waited since then counts, too. */
  fromStart?: true;
  /** If it may take longer than the others before it's given up. */
  longestMs?: number;
  run(stage: Stage, signal: AbortSignal): Promise<void>;
};

const P999_MS = 50;
const MAX_MS = 250;
const SETTLE_MS = 1_000;
/** A service that hasn't responded for this long is restarted, for the sake of the other tasks. */
const STANDS_STILL_MS = 120_000;

export const COLUMNS: Table['columns'] = [
  { name: 'took, s' },
  { name: 'health 99.9', atMost: P999_MS },
  { name: 'max', atMost: MAX_MS },
  { name: 'loop 99.9', atMost: P999_MS },
  { name: 'max', atMost: MAX_MS },
  { name: 'calls p99' },
  { name: 'failed', atMost: 0 },
  { name: 'fsync max' },
  { name: 'asker late' },
];

/** Brings the number waiting back up to what it should be, whatever has been processed since. */
export const fillUpBacklog = async ({ app, line }: Pick<Stage, 'app' | 'line'>): Promise<void> =>
  storeUnprocessed(app, line, Math.max(0, SIZE.unprocessed - (await countUnprocessed(app))));

/** Returns how long it took, each time. Repeats until there is enough to measure, but not forever. */
const perform = async (stage: Stage, task: Task, aborted: AbortSignal): Promise<number[]> => {
  const signal = AbortSignal.any([aborted, AbortSignal.timeout(task.longestMs ?? SIZE.longestMs)]);
  const begun = performance.now();
  const isEnough = (): boolean => performance.now() - begun >= SIZE.leastMs;
  const times: number[] = [];
  do {
    const turn = performance.now();
    await task.run(stage, signal);
    times.push(performance.now() - turn);
  } while (task.repeats && !isEnough());
  if (!isEnough()) await sleep(SIZE.leastMs - (performance.now() - begun), undefined, { signal: aborted });
  return times;
};

export class StandsStill extends Error {
  override readonly name = 'StandsStill';
}

const takeLoopDelay = ({ service }: Stage) =>
  service.takeLoopDelay(STANDS_STILL_MS).catch(() => {
    throw new StandsStill(`the service has not answered for ${STANDS_STILL_MS / 1_000} s`);
  });

/** One row: what others had to wait for, from outside and in the event loop, while the task was done. */
export const measureTask = async (
  stage: Stage,
  task: Task,
  { signal, note }: Tools,
): Promise<Table['rows'][number]> => {
  signal.throwIfAborted();
  if (!task.withoutBacklog) {
    await fillUpBacklog(stage);
    await sleep(SETTLE_MS);
  }
  if (!task.fromStart) {
    // Twice: anyone still waiting at the first call has a response by the second, and delays no one.
    await stage.bystanders.take();
    await takeLoopDelay(stage);
    await stage.bystanders.take();
  }
  const times = await perform(stage, task, signal).catch((error) => {
    signal.throwIfAborted();
    note(`${task.name}: not done (${error instanceof Error ? error.message : error})`);
    return [];
  });
  const waits = await stage.bystanders.take();
  const delay = await takeLoopDelay(stage);
  return {
    name: task.name,
    values: [
      summarize(times).median / 1_000,
      waits.healthP999,
      waits.healthMax,
      delay.p999,
      delay.max,
      waits.callP99,
      waits.failed,
      waits.syncMax,
      waits.ownDelayMax,
    ],
  };
};
