import { setTimeout as sleep } from 'node:timers/promises';
import { openConnection } from '../telephony/connection.ts';

const EVERY_MS = 4;

/** How long others wait, one after another, until something is done. */
export const timeOthers = async (url: string, until: Promise<unknown>): Promise<number[]> => {
  const connection = await openConnection(url);
  const request = Buffer.from(`GET /healthz HTTP/1.1\r\nhost: ${new URL(url).host}\r\n\r\n`);
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
