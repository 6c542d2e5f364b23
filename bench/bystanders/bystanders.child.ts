// Other clients of the service, in a separate process. They request `/healthz` every ten milliseconds and send calls at
// a steady pace, without waiting for earlier responses. For comparison, this process also writes to the same disk.
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { reportToParent } from '../child-server.ts';
import { watchLoopDelay } from '../service/loop-delay.ts';
import { createConnectionPool } from '../telephony/connection-pool.ts';
import { keepPace, quantile } from '../telephony/open-loop.ts';
import { type Line, signCall } from '../telephony/signed-calls.ts';
import type { BystanderPlan, Waits } from './bystanders.ts';
import { createPeriods, type Period } from './periods.ts';

const POLLS_PER_SECOND = 100;
const SYNC_EVERY_MS = 50;
/** The most connections. Both together fit in a stalled server's accept queue (511), so that it refuses none. */
const MOST_POLLING = 250;
const MOST_CALLING = 200;
/** If this many requests have no response yet, no more are sent: the service has stalled, and the result is clear. */
const MOST_PENDING = 20_000;
const BLOCK = Buffer.alloc(4096, 1);

const { url, line, callsPerSecond, directory }: BystanderPlan = JSON.parse(process.argv[2] ?? '');
const takeOwnDelay = watchLoopDelay();
const periods = createPeriods();
const forever = { count: Number.POSITIVE_INFINITY };

const exchange = async (pool: ReturnType<typeof createConnectionPool>, request: Buffer): Promise<void> => {
  const status = await pool.exchange(request);
  if (status !== 200) throw new Error(`The service answers ${status}.`);
};

/** Requests `/healthz`, and measures from when it's sent. How late this process itself was is reported separately. */
const poll = (): void => {
  if (periods.countPending() > MOST_PENDING) return;
  periods.begin('poll', async ({ polls }) => {
    const begun = performance.now();
    await exchange(polling, health);
    polls.push(performance.now() - begun);
  });
};

const call = (to: Line, dueAt: number): void => {
  if (periods.countPending() > MOST_PENDING) return;
  periods.begin('call', async ({ calls }) => {
    await exchange(calling, signCall(to));
    calls.push(performance.now() - dueAt);
  });
};

const syncForever = async (): Promise<never> => {
  const file = await open(join(directory, 'bystander'), 'w');
  for (;;) {
    const begun = performance.now();
    await file.write(BLOCK, 0, BLOCK.length, 0);
    await file.datasync();
    const ms = performance.now() - begun;
    periods.begin('sync', async ({ syncs }) => void syncs.push(ms));
    await sleep(SYNC_EVERY_MS);
  }
};

const toWaits = ({ polls, calls, syncs, failed }: Period): Waits => ({
  polls: polls.length,
  healthP999: quantile(polls, 0.999),
  healthMax: quantile(polls, 1),
  callP99: quantile(calls, 0.99),
  callMax: quantile(calls, 1),
  syncMax: quantile(syncs, 1),
  failed,
  ownDelayMax: takeOwnDelay().max,
});

const health = Buffer.from(`GET /healthz HTTP/1.1\r\nhost: ${new URL(url).host}\r\n\r\n`);
const polling = createConnectionPool(url, MOST_POLLING);
const calling = createConnectionPool(url, MOST_CALLING);

const begin = async (): Promise<void> => {
  void keepPace(POLLS_PER_SECOND, forever, poll);
  if (line) void keepPace(callsPerSecond, forever, (dueAt) => call(line, dueAt));
  void syncForever();
};

reportToParent({ url, headers: {} }, { begin, take: async () => toWaits(await periods.end()) });
