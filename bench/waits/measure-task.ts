import { setTimeout as sleep } from 'node:timers/promises';
import type { Table, Tools } from '../benchmark.ts';
import { summarize } from '../summarize.ts';
import { countUnprocessed, storeUnprocessed } from '../telephony/unprocessed-deliveries.ts';
import { SIZE } from './size.ts';
import type { Stage } from './stage.ts';

export type Task = {
  name: string;
  /** Set if the task can be repeated. It's repeated until there is enough to measure. */
  repeats?: true;
  /** Set to measure without unprocessed deliveries, except those that the task itself prepares. */
  withoutBacklog?: true;
  /** Set if the task comes right after a start. Its result includes how long others have waited since the start. */
  fromStart?: true;
  /** The time limit, if the task may take longer than the others. */
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

/** Adds unprocessed deliveries until there are `SIZE.unprocessed` again. */
export const fillUpBacklog = async ({ app, line }: Pick<Stage, 'app' | 'line'>): Promise<void> =>
  storeUnprocessed(app, line, Math.max(0, SIZE.unprocessed - (await countUnprocessed(app))));

/** Runs a task, if possible again and again, until there is enough to measure. Returns how long each run took. */
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

/** Measures how long others wait while a task runs, as other clients see it and in the service's event loop. */
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
    // Discard what was measured, twice: while the first call waits for earlier requests, those may delay new requests.
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
