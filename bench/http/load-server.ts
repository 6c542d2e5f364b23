import autocannon from 'autocannon';
import type { ChildServer, Ready } from '../child-server.ts';

const CONNECTIONS = 50;
const SECONDS = 3;
const WARM_REQUESTS = 50_000;
const MOST_WARM_UPS = 4;

/** How requests are sent to a server. */
export type Asking = Pick<Ready, 'headers' | 'method'>;

export type Load = {
  requests: number;
  perSecond: number;
  /** Requests for each second of the server's own processor time, which is right even if the machine has other work. */
  perProcessorSecond: number;
  /** The share of the time that the server was working. */
  busy: number;
};

/**
 * Keeps this process from sleeping. Otherwise, the server has to wake it, which costs 15 µs of processor time per
 * request (measured), when a whole bare response takes 45 µs. A slow server would pay more than a fast one.
 */
export const stayAwake = (): Disposable => {
  let awake = true;
  const turn = (): void => {
    if (awake) setImmediate(turn);
  };
  turn();
  return {
    [Symbol.dispose]() {
      awake = false;
    },
  };
};

/** Loads a server over keep-alive connections. Each connection sends its next request after the last response. */
export const loadServer = async (server: ChildServer, { headers, method = 'GET' }: Asking): Promise<Load> => {
  using _ = stayAwake();
  const workedBefore = await server.processorMs();
  const load = await autocannon({
    url: server.url,
    connections: CONNECTIONS,
    duration: SECONDS,
    sampleInt: 100,
    headers,
    method,
  });
  const workedMs = (await server.processorMs()) - workedBefore;
  const failed = load['1xx'] + load['4xx'] + load['5xx'] + load.errors + load.timeouts;
  const requests = load['2xx'] + load['3xx'];
  if (failed > 0) throw new Error(`${failed} of ${requests + failed} requests to ${server.url} failed.`);
  return {
    requests,
    perSecond: requests / load.duration,
    perProcessorSecond: (requests / workedMs) * 1_000,
    busy: workedMs / 1_000 / load.duration,
  };
};

/**
 * Warms up a server with a number of requests, not for a time: Node compiles code by how often it has run, and a busy
 * machine runs it less often in the same time.
 */
export const warmUp = async (server: ChildServer, asking: Asking): Promise<void> => {
  let requests = 0;
  for (let turn = 0; turn < MOST_WARM_UPS && requests < WARM_REQUESTS; turn++)
    requests += (await loadServer(server, asking)).requests;
};
