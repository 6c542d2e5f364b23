import { setTimeout as sleep } from 'node:timers/promises';
import { openConnection } from '../telephony/connection.ts';

const EVERY_MS = 4;
const SETTLED_AFTER = 5_000;

const requestTo = (url: string): Buffer => Buffer.from(`GET /healthz HTTP/1.1\r\nhost: ${new URL(url).host}\r\n\r\n`);

/**
 * Brings the service to the state that it has after a while. The first few thousand responses are slower in any case,
 * because code is compiled and garbage from startup is collected.
 */
export const settle = async (url: string): Promise<void> => {
  const connection = await openConnection(url);
  for (let answered = 0; answered < SETTLED_AFTER; answered++) await connection.exchange(requestTo(url));
  connection.close();
};

/** Sends small requests, one after another, until the promise `until` is settled. Returns how long each took. */
export const timeOthers = async (url: string, until: Promise<unknown>): Promise<number[]> => {
  const connection = await openConnection(url);
  const request = requestTo(url);
  const waits: number[] = [];
  let isDone = false;
  until.finally(() => {
    isDone = true;
  });
  while (!isDone) {
    const begun = performance.now();
    if ((await connection.exchange(request)) !== 200) throw new Error('/healthz does not answer 200.');
    waits.push(performance.now() - begun);
    await sleep(EVERY_MS);
  }
  connection.close();
  return waits;
};
