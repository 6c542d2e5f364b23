import { setTimeout as sleep } from 'node:timers/promises';
import type { App } from '../../src/app.ts';
import type { ServiceLine } from '../service/set-up-line.ts';
import { createConnectionPool } from './connection-pool.ts';
import { doAtPace } from './open-loop.ts';
import { numberCalls, signCall } from './signed-calls.ts';

const LOOK_EVERY_MS = 20;
const CONNECTIONS = 400;
/** How long to wait for a call. If it hasn't shown up by then, its result is this time. */
const GIVE_UP_MS = 30_000;

/**
 * Sends calls at a fixed pace, and reads the calls table over a separate connection. Returns how many milliseconds
 * after its response each call was in the table.
 */
export const timeUntilVisible = async (
  { database }: App,
  line: ServiceLine,
  { perSecond, seconds, signal }: { perSecond: number; seconds: number; signal: AbortSignal },
): Promise<number[]> => {
  const { series, next } = numberCalls();
  const pool = createConnectionPool(line.url, CONNECTIONS);
  const answeredAt = new Map<string, number>();
  const waits: number[] = [];
  const call = async (): Promise<void> => {
    const callSid = next();
    const status = await pool.exchange(signCall(line, { callSid }));
    if (status !== 200) throw new Error(`${line.url} answered ${status}.`);
    answeredAt.set(callSid, performance.now());
  };
  const look = async (): Promise<void> => {
    const first = [...answeredAt.keys()].reduce((least, one) => (one < least ? one : least), `${series}~`);
    const rows = await database.all<{ callSid: string }>(
      `select external_id as "callSid" from calls
        where account_id = $1 and external_id >= $2 and external_id < $3`,
      [line.account, first, `${series}~`],
    );
    const now = performance.now();
    for (const { callSid } of rows) {
      const answered = answeredAt.get(callSid);
      if (answered === undefined) continue;
      waits.push(Math.max(0, now - answered));
      answeredAt.delete(callSid);
    }
  };
  let isSent = false;
  const sending = doAtPace(perSecond, { count: perSecond * seconds, signal }, call).finally(() => {
    isSent = true;
  });
  sending.catch(() => undefined);
  const giveUpAt = performance.now() + seconds * 1_000 + GIVE_UP_MS;
  while ((!isSent || answeredAt.size > 0) && performance.now() < giveUpAt) {
    await look();
    await sleep(LOOK_EVERY_MS, undefined, { signal });
  }
  await sending;
  pool.close();
  return [...waits, ...Array.from(answeredAt, () => GIVE_UP_MS)];
};
