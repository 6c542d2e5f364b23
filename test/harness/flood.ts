import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

const SCRIPT = new URL('./flood.thread.ts', import.meta.url);

export type Ask = { method?: string; path: string; headers?: Record<string, string>; body?: string };
export type Flood = { port: number; what: Ask; connections: number; ms: number };
export type Flooded = { count: number; statuses: number[] };

/** This many connections repeat the same request for this long. */
export const floodWith = async (flood: Flood): Promise<Flooded> => {
  const thread = new Worker(SCRIPT, { workerData: flood });
  const [flooded] = await once(thread, 'message');
  return flooded;
};
