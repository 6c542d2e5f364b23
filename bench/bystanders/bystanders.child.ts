// Other clients of the service, in a separate process: `/healthz` every ten milliseconds, calls at a steady pace, and
// disk writes at the same interval. None of them waits for another's response.
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
/** Together fewer than a stalled server's accept queue can hold (511): any more would be refused. */
const MOST_POLLING = 250;
const MOST_CALLING = 200;
/** Beyond this, a stalled service gets no more requests: the result is clear by then. */
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

/** Timed from the moment it's sent. This process's own lateness is reported separately. */
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
