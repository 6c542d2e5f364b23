import { setTimeout as sleep } from 'node:timers/promises';
import { createConnectionPool } from './connection-pool.ts';
import { type Line, signCalls } from './signed-calls.ts';

const LOOK_EVERY_MS = 1;

/**
 * Starts requests at a fixed pace, whether or not earlier ones are done (an open loop). `begin` gets the time at which
 * its request was due. Measured from that time, a result includes any delay before sending.
 */
export const keepPace = async (
  perSecond: number,
  { count, signal }: { count: number; signal?: AbortSignal },
  begin: (dueAt: number) => void,
): Promise<void> => {
  const begunAt = performance.now();
  for (let begun = 0; begun < count && !signal?.aborted; await sleep(LOOK_EVERY_MS)) {
    const target = Math.min(count, Math.floor(((performance.now() - begunAt) / 1_000) * perSecond));
    for (; begun < target; begun++) begin(begunAt + (begun / perSecond) * 1_000);
  }
};

/** Like `keepPace`, but waits for all the work in the end. */
export const doAtPace = async <Done>(
  perSecond: number,
  plan: { count: number; signal?: AbortSignal },
  begin: (dueAt: number) => Promise<Done>,
): Promise<Done[]> => {
  const begun: Promise<Done>[] = [];
  await keepPace(perSecond, plan, (dueAt) => {
    const one = begin(dueAt);
    // `Promise.all` below reports a failure.
    one.catch(() => undefined);
    begun.push(one);
  });
  return Promise.all(begun);
};

export const quantile = (values: readonly number[], part: number): number => {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
};

const CONNECTIONS = 400;
const SECONDS = 5;

/** Sends calls at a fixed pace, without waiting for earlier ones to be answered, and returns how long answers took. */
export const timeLine = async (
  line: Line,
  perSecond: number,
): Promise<{ acknowledged: number; p50: number; p99: number; longest: number }> => {
  const calls = signCalls(line, Math.floor(perSecond * SECONDS));
  const pool = createConnectionPool(line.url, CONNECTIONS);
  await pool.fill();
  const times = await doAtPace(perSecond, { count: calls.length }, async (dueAt) => {
    const status = await pool.exchange(calls.pop() ?? Buffer.alloc(0));
    if (status !== 200) throw new Error(`${line.url} answered ${status}.`);
    return performance.now() - dueAt;
  });
  pool.close();
  const [p50 = 0, p99 = 0, longest = 0] = [0.5, 0.99, 1].map((part) => quantile(times, part));
  return { acknowledged: times.length, p50, p99, longest };
};
