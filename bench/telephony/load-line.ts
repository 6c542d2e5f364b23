import { setTimeout as sleep } from 'node:timers/promises';
import type { ChildServer } from '../child-server.ts';
import { stayAwake } from '../http/load-server.ts';
import { type Connection, openConnection } from './connection.ts';
import { type Line, makeSignedCalls } from './signed-calls.ts';

const CONNECTIONS = 50;
const SECONDS = 2;
/** More than any server here answers in that time. */
const PREPARED = 60_000;

export type LineServer = ChildServer & Line;

export type LineLoad = { acknowledged: number; perSecond: number; perProcessorSecond: number };

const openAll = (url: string, count: number): Promise<Connection[]> =>
  Promise.all(Array.from({ length: count }, () => openConnection(url)));

/** Every connection sends the next call when the last one is answered. Each call is another one. */
export const loadLine = async (server: LineServer): Promise<LineLoad> => {
  const calls = makeSignedCalls(server, PREPARED);
  const connections = await openAll(server.url, CONNECTIONS);
  using _ = stayAwake();
  const workedBefore = await server.processorMs();
  const begun = performance.now();
  let acknowledged = 0;
  const send = async (connection: Connection): Promise<void> => {
    while (performance.now() - begun < SECONDS * 1_000) {
      const call = calls.pop();
      if (!call) throw new Error('There were not enough calls prepared.');
      const status = await connection.exchange(call);
      if (status !== 200) throw new Error(`${server.url} answered ${status}.`);
      acknowledged++;
    }
  };
  await Promise.all(connections.map(send));
  const seconds = (performance.now() - begun) / 1_000;
  const workedMs = (await server.processorMs()) - workedBefore;
  for (const connection of connections) connection.close();
  return { acknowledged, perSecond: acknowledged / seconds, perProcessorSecond: (acknowledged / workedMs) * 1_000 };
};

/** Code is compiled by how often it has run. */
const WARM_CALLS = 30_000;
const MOST_WARM_UPS = 4;

export const warmUpLine = async (load: () => Promise<LineLoad>): Promise<void> => {
  let calls = 0;
  for (let turn = 0; turn < MOST_WARM_UPS && calls < WARM_CALLS; turn++) calls += (await load()).acknowledged;
};

const OPEN_CONNECTIONS = 400;
const OPEN_SECONDS = 5;

const quantile = (sorted: readonly number[], part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;

/**
 * Open loop: calls begin when their time has come, whether or not earlier ones are answered, and the time counts from
 * then on. Nobody who calls waits for somebody else's call to be answered.
 */
export const timeLine = async (
  server: LineServer,
  perSecond: number,
): Promise<{ acknowledged: number; p50: number; p99: number }> => {
  const total = Math.floor(perSecond * OPEN_SECONDS);
  const calls = makeSignedCalls(server, total);
  const idle = await openAll(server.url, OPEN_CONNECTIONS);
  const times: number[] = [];
  const begun = performance.now();
  const pending: Promise<void>[] = [];
  const waiting: number[] = [];
  const startNext = (): void => {
    while (waiting.length > 0 && idle.length > 0) {
      const due = waiting.shift() ?? 0;
      const connection = idle.pop();
      const call = calls.pop();
      if (!connection || !call) return;
      pending.push(
        connection.exchange(call).then((status) => {
          if (status !== 200) throw new Error(`${server.url} answered ${status}.`);
          times.push(performance.now() - due);
          idle.push(connection);
          startNext();
        }),
      );
    }
  };
  for (let begunCalls = 0; begunCalls < total; ) {
    const target = Math.min(total, Math.floor(((performance.now() - begun) / 1_000) * perSecond));
    for (; begunCalls < target; begunCalls++) waiting.push(begun + (begunCalls / perSecond) * 1_000);
    startNext();
    await sleep(1);
  }
  while (times.length < total) {
    startNext();
    await sleep(5);
  }
  await Promise.all(pending);
  for (const connection of idle) connection.close();
  const sorted = times.sort((left, right) => left - right);
  return { acknowledged: sorted.length, p50: quantile(sorted, 0.5), p99: quantile(sorted, 0.99) };
};
