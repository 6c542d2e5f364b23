// Floods a server from a separate thread, so that it doesn't delay measurements.
import { Agent, request as httpRequest } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';
import type { Ask, Flood, Flooded } from './flood.ts';

const { port, what, connections, ms }: Flood = workerData;

const ask = (agent: Agent, { method = 'GET', path, headers = {}, body }: Ask): Promise<number> =>
  new Promise((resolve) => {
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const asked = httpRequest(
      { host: '127.0.0.1', port, method, path, agent, headers: { ...headers, ...length } },
      (answer) => answer.on('end', () => resolve(answer.statusCode ?? 0)).resume(),
    );
    asked.on('error', () => resolve(0));
    asked.end(body);
  });

const agent = new Agent({ keepAlive: true, maxSockets: connections });
const until = performance.now() + ms;
const statuses = new Set<number>();
let count = 0;

/** Each connection sends the next request as soon as it gets a response. */
const askOn = async (): Promise<void> => {
  while (performance.now() < until) {
    statuses.add(await ask(agent, what));
    count++;
  }
};

await Promise.all(Array.from({ length: connections }, askOn));
agent.destroy();
parentPort?.postMessage({ count, statuses: [...statuses].sort() } satisfies Flooded);
